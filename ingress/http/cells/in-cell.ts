/** Thrown if the data for a request is in another cell. The request is then forwarded with its unread body. */
export class OtherCellError extends Error {
  override name = 'OtherCellError'
  readonly cell: string

  constructor(cell: string) {
    super(`Cell ${cell} handles this request.`)
    this.cell = cell
  }
}
