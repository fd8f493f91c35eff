/** Complementarity problems solved in a worker, each within a time limit. */

import RaceWorker from "./race.worker?worker";

/** A problem: its text, or a file of HDF5. */
export type Problem = string | { name: string; bytes: Uint8Array };

/** What the worker is asked. */
export type Ask = { kind: "problem"; problem: Problem } | { kind: "solve"; solver: string; iterations: number; tolerance: number };

/** What it replies: JSON texts of the engine, or what went wrong in words. */
export type Reply = { info: string; solvers: string } | { answer: string } | { error: string };

/** Longest that a problem is read, and that the engine is loaded (s). */
const READING = 60;

/** One problem in a worker of its own. A solver that exceeds its time is ended together with its worker; the next one gets a new worker. */
export class Solving {
  private worker: Worker | null = null;
  private drop: (() => void) | null = null;

  constructor(private readonly problem: Problem) {}

  /** Info and solvers of the problem as JSON. Throws where it is none, in words. */
  async read(): Promise<{ info: string; solvers: string }> {
    this.worker ??= new RaceWorker();
    const reply = await this.ask({ kind: "problem", problem: this.problem }, READING);
    if ("info" in reply) return reply;
    this.end();
    throw new Error("error" in reply ? reply.error : "the worker gave no answer");
  }

  /** A solver's answer as JSON. Throws where it refuses the problem or needs longer than `seconds`, in words. */
  async solve(solver: string, iterations: number, tolerance: number, seconds: number): Promise<string> {
    if (!this.worker) await this.read();
    const reply = await this.ask({ kind: "solve", solver, iterations, tolerance }, seconds);
    if ("answer" in reply) return reply.answer;
    throw new Error("error" in reply ? reply.error : "the worker gave no answer");
  }

  /** Ends the worker; a question under way is answered by an error. */
  end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.drop?.();
  }

  private ask(question: Ask, seconds: number): Promise<Reply> {
    const worker = this.worker;
    if (!worker) return Promise.resolve({ error: "ended" });
    return new Promise((done) => {
      const finish = (reply: Reply) => {
        clearTimeout(timer);
        this.drop = null;
        worker.onmessage = worker.onerror = null;
        done(reply);
      };
      const timer = setTimeout(() => {
        finish({ error: `stopped after ${seconds} s` });
        this.end();
      }, 1e3 * seconds);
      this.drop = () => finish({ error: "ended" });
      worker.onmessage = (event: MessageEvent<Reply>) => finish(event.data);
      // a trap leaves the engine's memory in no known state
      worker.onerror = (event) => {
        finish({ error: event.message });
        this.end();
      };
      worker.postMessage(question);
    });
  }
}
