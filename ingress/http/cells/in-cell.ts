/** Thrown if another cell has the data for a request. The request is forwarded with its unread body. */
export class OtherCellError extends Error {
  override name = 'OtherCellError'
  readonly cell: string

  constructor(cell: string) {
    super(`Cell ${cell} handles this request.`)
    this.cell = cell
  }
}
