/** Colours, light and dark. */

import { Color } from "three";

export interface Palette {
  background: Color;
  ground: Color;
  grid: string;
  fixed: Color;
  asleep: Color;
  bodies: Color[];
  categories: Color[];
  contact: Color;
  impulse: Color;
  box: Color;
  joint: Color;
  /** x, y and z of a frame. */
  axes: Color[];
}

/** The colour of each pane, in its head and its curves. */
export const paneColours = ["#b5651d", "#2b7bba", "#3f9a57", "#9a55b5"];

const colours = (list: string[]) => list.map((c) => new Color(c));
const stones = ["#b98a5e", "#a8754a", "#c59d74", "#9c7a5b", "#b27f55", "#caa985", "#a1683c"];
const categories = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#99a4ae"];

/** Whether the page is dark: the user's choice, else the system's. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function palette(): Palette {
  const dark = isDark();
  return {
    background: new Color(dark ? "#191b1f" : "#eef0f2"),
    ground: new Color(dark ? "#34383f" : "#d9d8d3"),
    grid: dark ? "#b9bdc4" : "#c9c9c4",
    fixed: new Color(dark ? "#5a6068" : "#a9adb2"),
    asleep: new Color(dark ? "#3d5573" : "#8ea3bd"),
    bodies: colours(stones),
    categories: colours(categories),
    contact: new Color("#e6352b"),
    impulse: new Color(dark ? "#ffd34d" : "#c77700"),
    box: new Color(dark ? "#7fb2ff" : "#3869b0"),
    joint: new Color(dark ? "#6fe0b0" : "#0a8f5b"),
    axes: colours(dark ? ["#ff6b6b", "#7ddc5a", "#6aa8ff"] : ["#d0312d", "#2f8f1d", "#1f5fd0"]),
  };
}
