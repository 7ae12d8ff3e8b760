import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { ChallengeResult, FaceDecision, FaceReason } from '#sql/identity/face-checks.ts'
import { DocumentCheck, DocumentFacts, UnreadReason } from '#sql/identity/readings.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Check = z.strictObject({
  id: Id,
  subject: z.string(),
  requirement: z.string(),
  status: z.enum(['submitted', 'verified', 'rejected']),
  method: z.string().describe('Method of the check'),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  expires_at: Time.nullable(),
})

const check: z.input<typeof Check> = {
  id: createSampleId(56),
  subject: 'ada',
  requirement: 'identity_document',
  status: 'submitted',
  method: 'upload',
  reason_code: null,
  reason: null,
  expires_at: null,
}

const Document = z.strictObject({
  status: z.enum(['waiting', 'read', 'unread']),
  reason: UnreadReason.nullable().describe('Reason why nothing was read'),
  format: DocumentFacts.shape.format.nullable(),
  failed_checks: z.array(DocumentCheck.shape.check).describe('Failed checks of the machine-readable lines'),
  expired: z.boolean().nullable(),
  shared_with: z.int().describe('Number of other subjects who submitted the same document'),
})

const document: z.input<typeof Document> = {
  status: 'read',
  reason: null,
  format: 'TD3',
  failed_checks: [],
  expired: false,
  shared_with: 0,
}

const FaceCheck = z.strictObject({
  id: Id,
  subject: z.string(),
  requirement: z.string(),
  decision: FaceDecision.nullable().describe('Comparison of the selfie with the photo on the document'),
  similarity: z.number().nullable(),
  distance: z.number().nullable(),
  threshold: z.number(),
  challenge: z.strictObject({
    required: z.boolean(),
    result: ChallengeResult.nullable(),
    stops: z.array(z.string()),
    does_not_stop: z.array(z.string()),
  }),
  reasons: z.array(FaceReason),
  attempts: z.int(),
  object_id: Id.nullable(),
  model: z.string().nullable(),
})

export const identity = {
  'identity.face_check.completed': kind(
    'A selfie was compared with the photo on a document, with its result. The check waits for a decision.',
    FaceCheck,
    {
      id: createSampleId(156),
      subject: 'ada',
      requirement: 'identity.face',
      decision: 'match',
      similarity: 0.7,
      distance: 0.36,
      threshold: 0.5,
      challenge: {
        required: true,
        result: 'passed',
        stops: ['printed_photo', 'still_image'],
        does_not_stop: ['video_replay', 'deepfake', 'mask'],
      },
      reasons: [],
      attempts: 1,
      object_id: createSampleId(157),
      model: 'face-api/dlib-resnet 1.7.15',
    },
  ),
  'identity.check.decided': kind(
    'Millrace has decided whether a subject meets a requirement, with the reasons. Sent once per decision.',
    Check.omit({ reason_code: true, reason: true }).extend({
      decision_id: Id,
      status: z.enum(['verified', 'rejected']),
      reasons: z.array(z.strictObject({ code: z.string(), reason: z.string() })),
      document: Document.nullable().describe('Data of the document, if one was submitted'),
    }),
    {
      id: check.id,
      decision_id: createSampleId(57),
      subject: check.subject,
      requirement: check.requirement,
      status: 'rejected',
      method: 'operator',
      expires_at: null,
      reasons: [{ code: 'document_expired', reason: 'It expired in May.' }],
      document: { ...document, expired: true },
    },
  ),
  'identity.document.read': kind(
    'The machine-readable lines of a submitted document were read, or cannot be read. Request the data with the API.',
    Document.extend({ id: Id, object_id: Id, subject: z.string() }),
    { ...document, id: createSampleId(58), object_id: createSampleId(59), subject: 'ada' },
  ),
  'identity.check.submitted': kind('A subject has submitted evidence for a requirement.', Check, check),
  'identity.check.verified': kind('A subject meets a requirement.', Check, {
    ...check,
    status: 'verified',
    method: 'operator',
    expires_at: sampleTime,
  }),
  'identity.check.rejected': kind('The evidence of a subject was rejected.', Check, {
    ...check,
    status: 'rejected',
    method: 'operator',
    reason_code: 'unreadable',
    reason: 'The image is too dark.',
  }),
}
