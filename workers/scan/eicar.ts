// In two halves, so that this file itself is no test file of a virus scanner.
const mark = Buffer.from(`X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`)

/** The most bytes that a file by EICAR's rule may have: the 68 of the mark, then white space only. */
const longest = 128
const isWhite = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x1a

/** Whether a content of `size` bytes that begins with `head` is the test file of EICAR, by EICAR's rule. */
export function isEicar(head: Buffer, size: number): boolean {
  if (size > longest || size < mark.length || head.length < size) return false
  return head.subarray(0, mark.length).equals(mark) && head.subarray(mark.length, size).every(isWhite)
}
