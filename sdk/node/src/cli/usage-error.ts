import { MillraceError } from '../errors.ts'

/** A command line that cannot be used. The process ends with status 2. */
export class UsageError extends MillraceError {
  override name = 'UsageError'
  /** Command whose help explains the error. */
  readonly command: string | undefined

  constructor(message: string, command?: string) {
    super(message)
    this.command = command
  }
}
