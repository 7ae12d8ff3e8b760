/**
 * Reports what became of a delivery; resolves with how it stands then, and rejects with a sentence when it is refused. It
 * outlives the page that sends it.
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
