import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Whether programs would decode a text as an encoded word (RFC 2047) that its sender did not write as one. */
export const isLikeEncoded = (text: string): boolean => text.includes('=?')

/** A text as encoded words, each short enough for one line. */
export const encodedWords = (text: string): string => encodeWord(text, 'Q', 52)
