import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** True if email clients would decode the text as an encoded word (RFC 2047). */
export const looksEncoded = (text: string): boolean => text.includes('=?')

export const encodedWords = (text: string): string => encodeWord(text, 'Q', 52)
