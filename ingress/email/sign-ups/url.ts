import { publicUrl } from '#lib/config.ts'

/** Returns the public URL of a form. */
export const formUrl = (id: string): string => `${publicUrl()}/send/v1/subscribe/${id}`
