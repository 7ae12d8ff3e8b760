import type { Command } from 'commander'

/** Adds the options that describe a register of companies. */
export const registerOptions = (command: Command): Command =>
  command
    .option('--register <name>', 'name of the register, if it differs from the profile')
    .option(
      '--jurisdiction <country>',
      'jurisdiction of entries without one (generic profile), such as ee, gb or us-de',
    )
    .option('--licence <text>', 'licence text of the data')
    .option('--record-url <url>', 'URL of a company’s page in the register; {code} is replaced by its code')
