/**
 * Reports a receipt. Resolves with the delivery’s status. Rejects with an error message. The request continues after
 * the page is closed.
 */
export async function report({ delivery_id, receipt_token: token }, event, key) {
  const response = await fetch('/push/v1/receipts', {
    method: 'POST',
    keepalive: true,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ delivery_id, event, token }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error?.message ?? `The server returned ${response.status} for the receipt.`)
  return answer
}
