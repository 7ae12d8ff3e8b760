// Shows the state of the service next to its link, and copies the first call.
import { copyButtons } from './copy.js'

copyButtons(document)

const status = document.getElementById('service-status')

try {
  const answer = await fetch('/readyz')
  const { parts = {} } = answer.ok ? await answer.json() : {}
  const away = Object.keys(parts).filter((name) => parts[name] !== 'ok')
  const isGood = answer.ok && away.length === 0
  status.dataset.state = isGood ? 'good' : 'away'
  status.append(isGood ? ': all parts are available' : `: ${away.join(', ') || 'some parts'} unavailable`)
} catch {
  // Without an answer, the link remains.
}
