/** What a server is to do with the next requests for a device, in order; the last one stands for all that follow. */
export class Script<Answer> {
  readonly #answers = new Map<string, Answer[]>()

  /** Answers for a device token, or for every device with `*`. */
  set(token: string, ...answers: Answer[]): void {
    this.#answers.set(token, answers)
  }

  /** The answer for a request; undefined for the usual one. */
  next(token: string): Answer | undefined {
    const answers = this.#answers.get(token) ?? this.#answers.get('*')
    return answers && answers.length > 1 ? answers.shift() : answers?.[0]
  }
}
