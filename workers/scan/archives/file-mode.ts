/** The kinds of files that the mode of Unix tells, and the bits that do (stat(2)). */
export const modes = { mask: 0o170000, file: 0o100000, link: 0o120000 }
