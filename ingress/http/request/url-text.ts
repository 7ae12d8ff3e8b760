import { z } from 'zod'

/** Schema of a URL as text. `faultOf` returns an error message, or `undefined` if the URL is valid. */
export const urlText = (faultOf: (text: string) => string | undefined) =>
  z
    .string()
    .max(2_048)
    .superRefine((text, context) => {
      const message = faultOf(text)
      if (message) context.addIssue({ code: 'custom', message })
    })
