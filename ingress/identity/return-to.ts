import { z } from 'zod'

export const return_to = z
  .url({ protocol: /^https?$/, error: 'must be a URL: https://… or http://…' })
  .max(2_000)
  .refine((url) => !/^https?:\/\/[^/?#]*@/.test(url), 'must not contain a user name')
  .optional()
  .describe('URL that the web page behind `prompt_url` links back to')
