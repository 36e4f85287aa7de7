/** The running write of a run: its walks write one after another, whichever of them has the turn. */
export class Writes {
  #running: Promise<void> = Promise.resolve()

  /** Waits for the running write. Ignores its error, which belongs to its walk. */
  async settle(): Promise<void> {
    await this.#running
  }

  /** Notes a write as the running one. */
  note(write: Promise<void>): void {
    this.#running = write.catch(() => undefined)
  }
}
