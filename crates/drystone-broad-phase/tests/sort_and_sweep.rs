//! The worked example of Baraff 1995, Figures 3 and 4 (O-04).

use drystone_broad_phase::EndpointList;

/// Intervals 1 to 6; their ends in order: b3 b6 b1 e6 e1 b5 b2 e3 b4 e5 e2 e4. Index 0 in the list is interval 1 of the figure.
const INTERVALS: [(f64, f64); 6] = [(3.0, 5.0), (7.0, 11.0), (1.0, 8.0), (9.0, 12.0), (6.0, 10.0), (2.0, 4.0)];

fn names(list: &EndpointList) -> Vec<String> {
    list.endpoints().iter().map(|p| format!("{}{}", if p.is_end() { 'e' } else { 'b' }, p.interval() + 1)).collect()
}

#[test]
fn the_active_lists_are_those_of_figure_3() {
    // I-03
    let mut list = EndpointList::default();
    list.rebuild(INTERVALS.into_iter());
    assert_eq!(names(&list).join(" "), "b3 b6 b1 e6 e1 b5 b2 e3 b4 e5 e2 e4");
    let (mut at_b1, mut at_e3) = (Vec::new(), Vec::new());
    list.sweep(&mut Vec::new(), |p, active| {
        let mut numbers: Vec<_> = active.iter().map(|i| i + 1).collect();
        numbers.sort_unstable();
        match (p.is_end(), p.interval() + 1) {
            (false, 1) => at_b1 = numbers,
            (true, 3) => at_e3 = numbers,
            _ => {}
        }
    });
    assert_eq!((at_b1, at_e3), (vec![3, 6], vec![2, 3, 5]));
}

#[test]
fn moving_interval_4_takes_the_one_exchange_of_figure_4() {
    // I-04
    let mut list = EndpointList::default();
    list.rebuild(INTERVALS.into_iter());
    // interval 4 moves right past e5 and back: the overlap of 4 and 5 ends, then begins again
    for (shift, down, up) in [(1.5, "e5", "b4"), (0.0, "b4", "e5")] {
        let interval = |i: u32| {
            let (b, e) = INTERVALS[i as usize];
            if i == 3 { (b + shift, e + shift) } else { (b, e) }
        };
        let mut seen = Vec::new();
        let exchanges = list.update(interval, 100, |p, q| {
            seen.extend([p, q].map(|p| format!("{}{}", if p.is_end() { 'e' } else { 'b' }, p.interval() + 1)));
        });
        assert_eq!((exchanges, seen), (Some(1), vec![down.to_owned(), up.to_owned()]));
    }
}

/// The control: starting from an order that does not come from the frame before takes as many exchanges as there are pairs out of place.
#[test]
fn without_the_last_order_the_move_of_figure_4_takes_more_than_one_exchange() {
    let mut list = EndpointList::default();
    // the starting order is one interval after the other: b1 e1 b2 e2 …
    list.rebuild((0..6).map(|i| (f64::from(i), f64::from(i) + 0.5)));
    let moved = |i: u32| {
        let (b, e) = INTERVALS[i as usize];
        if i == 3 { (b + 1.5, e + 1.5) } else { (b, e) }
    };
    let exchanges = list.update(moved, 100, |_, _| {}).unwrap();
    let mut sorted = EndpointList::default();
    sorted.rebuild((0..6).map(moved));
    assert_eq!(names(&list), names(&sorted));
    assert!(exchanges > 10, "{exchanges}");
}

#[test]
fn a_beginning_comes_before_an_end_at_the_same_place() {
    let mut list = EndpointList::default();
    list.rebuild([(0.0, 1.0), (1.0, 2.0), (-1.0, -0.0)].into_iter());
    assert_eq!(names(&list).join(" "), "b3 b1 e3 b2 e1 e2");
}

#[test]
fn a_list_gives_up_at_its_limit() {
    let mut list = EndpointList::default();
    list.rebuild((0..10).map(|i| (f64::from(i), f64::from(i) + 0.5)));
    assert_eq!(list.update(|i| (-f64::from(i), 0.5 - f64::from(i)), 20, |_, _| {}), None);
}
