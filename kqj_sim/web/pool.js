// Workers, which play chunks of deals; chunks are added in order, so that the same position gives the same digits on
// any number of cores.

const NO_WORKER = "a worker does not start";

class Pool {
  constructor(start, source, size) {
    Object.assign(this, { start, source, job: 0 });
    this.workers = Array.from({ length: size }, () => this.open());
  }

  // Has the chances to win a game worked out by a worker of its own (`solveGame`), and `tells` them to all.
  async solve(game, tells) {
    const worker = this.open();
    worker.postMessage({ solve: game });
    const solved = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message || NO_WORKER));
    });
    worker.terminate();
    if (!tells) return solved;
    this.start.game = solved;
    this.workers.forEach((each) => each.postMessage({ game: solved }));
    return solved;
  }

  open() {
    const worker = new Worker(this.source);
    worker.onerror = (event) => {
      event.preventDefault();
      this.retire(worker, event.message || NO_WORKER);
    };
    worker.postMessage(this.start);
    return worker;
  }

  // Goes on without a worker that fails, as for lack of memory: the others play its chunk.
  retire(worker, message) {
    worker.terminate();
    this.workers = this.workers.filter((each) => each !== worker);
    if (worker.number !== undefined) this.lost?.push(worker.number);
    if (!this.workers.length) this.stop?.(new Error(message));
  }

  // Ends what is being played; workers that are busy are replaced.
  cancel() {
    this.job++;
    this.workers.forEach((worker, at) => {
      if (!worker.busy) return;
      worker.terminate();
      this.workers[at] = this.open();
    });
    this.stop?.();
  }

  // Plays chunks of `size` deals from a number on, at most so many, and gives them to `add`, in order, until it
  // returns true.  Resolves to false if it was cancelled.
  run(question, first, size, add, chunks = Infinity) {
    const job = ++this.job,
      waiting = new Map(),
      lost = (this.lost = []);
    if (!this.workers.length) this.workers = [this.open()];
    let next = 0,
      due = 0,
      isOver = false;
    return new Promise((resolve, reject) => {
      this.stop = (error) => (error ? reject(error) : resolve(false));
      const send = (worker) => {
        if (isOver || (next >= chunks && !lost.length)) return;
        worker.busy = true;
        const number = (worker.number = lost.shift() ?? next++);
        worker.postMessage({ job, number, first: BigInt(first) + BigInt(number * size), count: size });
      };
      for (const worker of this.workers) {
        worker.onmessage = ({ data }) => {
          worker.busy = false;
          worker.number = undefined;
          send(worker);
          if (data.job !== job || isOver) return;
          waiting.set(data.number, data.chunk);
          for (; waiting.has(due); waiting.delete(due++)) {
            if (!isOver && (add(waiting.get(due)) || due === chunks - 1)) isOver = true;
          }
          if (isOver) resolve(true);
        };
        worker.postMessage({ question });
        if (!worker.busy) send(worker);
      }
    });
  }
}
