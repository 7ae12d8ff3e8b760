import { pairs } from './values.ts'

export const moving = {
  MOVING_URLS: pairs
    .default({})
    .describe(
      'Base URLs of the APIs from which organisations import data, for example through a proxy: `name=URL`, separated by commas. The names are `resend`, `postmark`, `sendgrid`, `mux` and `mux-stream`. Default: the public URL of each provider.',
    ),
}
