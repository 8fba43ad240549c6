/** Closed until somebody opens it; then whoever waits, and whoever comes later, goes on. */
export class Latch {
  readonly opened: Promise<void>
  isOpen = false
  #open: () => void = () => undefined

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve
    })
  }

  open(): void {
    this.isOpen = true
    this.#open()
  }
}
