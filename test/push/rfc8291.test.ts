import { createECDH } from 'node:crypto'
import t from 'tap'
import { encrypt } from '../../workers/push/webpush/encrypt.ts'
import { decrypt } from '../support/push-servers/decrypt.ts'

/** RFC 8291 §5 and Appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiverPrivate: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  receiverPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}

const pairOf = (key: string) => {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(key, 'base64url')
  return pair
}

t.test('the example of RFC 8291 is encrypted to the byte, and read', async (t) => {
  const keys = { p256dh: example.receiverPublic, auth: example.auth }
  const once = { pair: pairOf(example.senderPrivate), salt: Buffer.from(example.salt, 'base64url') }
  t.equal(encrypt(example.text, keys, once).toString('base64url'), example.message)
  const [sealed, secret] = [Buffer.from(example.message, 'base64url'), Buffer.from(example.auth, 'base64url')]
  t.equal(decrypt(sealed, pairOf(example.receiverPrivate), secret).toString(), example.text)
})

t.test('no two messages share a key pair or a salt', async (t) => {
  const keys = { p256dh: example.receiverPublic, auth: example.auth }
  const [one, two] = [encrypt('x', keys), encrypt('x', keys)]
  t.not(one.subarray(0, 16).toString('hex'), two.subarray(0, 16).toString('hex'), 'salts')
  t.not(one.subarray(21, 86).toString('hex'), two.subarray(21, 86).toString('hex'), 'keys')
})
