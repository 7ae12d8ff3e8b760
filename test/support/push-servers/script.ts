/** Responses for the next requests of a device, in order. The last one is repeated. */
export class Script<Answer> {
  readonly #answers = new Map<string, Answer[]>()

  /** Sets the responses for a device token, or for every device with `*`. */
  set(token: string, ...answers: Answer[]): void {
    this.#answers.set(token, answers)
  }

  /** Returns the response for a request, or undefined for the default. */
  next(token: string): Answer | undefined {
    const answers = this.#answers.get(token) ?? this.#answers.get('*')
    return answers && answers.length > 1 ? answers.shift() : answers?.[0]
  }
}
