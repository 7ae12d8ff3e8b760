import { badRequest, type Fault } from '#lib/errors.ts'
import { checkText } from '../../http/request/json.ts'
import { guardField } from './pages.ts'

/** Reads the form. `topic` can be repeated. Other fields are ignored, because customers' forms can have more. */
export function readSignUp(text: string): unknown {
  const fields = new URLSearchParams(text)
  const read = {
    email: fields.get('email') ?? '',
    website: fields.get('website') ?? '',
    [guardField]: fields.get(guardField) ?? '',
    // Without a check box, a form sends no list, so the marker tells a form without topics from one with none selected.
    ...((fields.has('topic') || fields.has('topics')) && { topic: fields.getAll('topic') }),
  }
  const faults: Fault[] = []
  checkText(read, 'body', faults)
  if (faults.length > 0) throw badRequest(faults)
  return read
}
