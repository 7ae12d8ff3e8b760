import { findTemplateFaults } from './judge-template.ts'
import { TemplateParts } from './template-parts.ts'

export const NewTemplate = TemplateParts.superRefine((form, { addIssue }) => {
  for (const { path, issue } of findTemplateFaults(form)) {
    addIssue({ code: 'custom', path: ['components', ...path], message: issue })
  }
})
