import { faultsOf } from './judge-template.ts'
import { TemplateParts } from './template-parts.ts'

export const NewTemplate = TemplateParts.superRefine((form, { addIssue }) => {
  for (const { path, issue } of faultsOf(form)) {
    addIssue({ code: 'custom', path: ['components', ...path], message: issue })
  }
})
