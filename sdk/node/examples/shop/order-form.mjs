export class InvalidOrder extends Error {}

const maxQuantity = 1000

/** Returns the order in a request body. Throws `InvalidOrder` with the fields that are not valid. */
export function readOrder(text) {
  const { item, quantity, email } = parse(text) ?? {}
  const issues = []
  if (!isLine(item)) issues.push('item must be the name of an item')
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > maxQuantity)
    issues.push(`quantity must be a whole number from 1 to ${maxQuantity}`)
  if (!isLine(email) || !/^[^\s@]+@[^\s@]+$/.test(email)) issues.push('email must be an email address')
  if (issues.length > 0) throw new InvalidOrder(`${issues.join(', ')}.`)
  return { item, quantity, email }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidOrder('The body must be JSON.')
  }
}

/** True for a text that Postgres and an email can contain. */
const isLine = (value) =>
  typeof value === 'string' && value !== '' && value.length <= 200 && value.isWellFormed() && !/\p{Cc}/u.test(value)
