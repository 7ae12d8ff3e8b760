import { type Command, command } from '../command.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { grammarOf } from '../completion/grammar.ts'
import { zshCompletion } from '../completion/zsh.ts'
import { UsageError } from '../usage-error.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** The command that prints the completion of all other commands. */
export function completion(others: readonly Command[]): Command {
  const own = command({
    name: 'completion',
    summary: 'Print the completion for a shell',
    operands: [{ name: 'SHELL', help: Object.keys(shells).join(', '), choices: Object.keys(shells) }],
    options: {},
    examples: [
      'source <(millrace-cli completion bash)',
      'millrace-cli completion zsh >~/.zsh/completions/_millrace-cli',
      'millrace-cli completion fish >~/.config/fish/completions/millrace-cli.fish',
    ],
    async run({ operands: [shell = ''] }) {
      const print = Object.hasOwn(shells, shell) ? shells[shell as keyof typeof shells] : undefined
      if (!print) throw new UsageError(`SHELL must be one of ${Object.keys(shells).join(', ')}.`, 'completion')
      process.stdout.write(print(grammarOf([...others, own])))
    },
  })
  return own
}
