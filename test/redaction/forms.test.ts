import { expect, it } from 'vitest'
import { redactAll } from '../../src/redaction/redactions.ts'
import { redactValue } from '../../src/redaction/session.ts'

const LINE = 'Qk5vdEFLZXlOb3RBS2V5Tm90QUtleU5vdEFLZXlOb3RBS2V5Tm90QUtleU5vdEFL'

// A shell that splits a text without quotes makes several arguments of the mark of a key's end.
it('hides the end of a private key whose mark is several arguments', () => {
  const words = [`${LINE}\n${LINE}\n-----END`, 'RSA', 'PRIVATE', 'KEY-----', 'other']
  const [body, ...rest] = [redactValue(words, redactAll)].flat()
  expect(body).toBe('[key]')
  expect(rest).toContain('other')
})

it('hides the private members of a JSON Web Key, and no public one', () => {
  const key = { kty: 'RSA', n: LINE, e: 'AQAB', d: LINE, p: LINE }
  expect(redactValue(key, redactAll)).toEqual({ ...key, d: '[key]', p: '[key]' })
  expect(redactAll(JSON.stringify(key))).toBe(JSON.stringify({ ...key, d: '[key]', p: '[key]' }))
  expect(redactValue({ d: LINE, k: LINE }, redactAll)).toEqual({ d: LINE, k: LINE })
})

it('hides the values of a Kubernetes secret, and those of no other object', () => {
  const write = (kind: string) => `kind: ${kind}\ndata:\n  first: abc\n  second: def\ntype: Opaque`
  expect(redactAll(write('Secret'))).toBe(
    'kind: Secret\ndata:\n  first: [secret]\n  second: [secret]\ntype: Opaque',
  )
  expect(redactAll(write('ConfigMap'))).toBe(write('ConfigMap'))
})

it('hides each private part of a file of PuTTY, and keeps the public one', () => {
  const file = `Public-Lines: 1\n${LINE}\nPrivate-Lines: 1\n${LINE}\nPrivate-MAC: 0a`
  expect(redactAll(`${file}\n\nother text`)).toBe(
    `Public-Lines: 1\n${LINE}\nPrivate-Lines: 1 [key]\n\nother text`,
  )
})

it('hides both passwords of a command that has two', () => {
  expect(redactAll('ssh-keygen -p -P old1 -N new2 -f k')).toBe('ssh-keygen -p -P [secret] -N [secret] -f k')
})

it('hides the secret and the token beside the id of a key', () => {
  const token = 'x'.repeat(120)
  expect(redactAll(`ASIAIOSFODNN7EXAMPLE\t${'aB3/xY7+kL'.repeat(4)}\t${token}`)).toBe('[key]\t[key]\t[key]')
})

it('hides the words of a wallet', () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  expect(redactAll(`MNEMONIC="${words}"`)).toBe('MNEMONIC="[secret]"')
  expect(redactAll(`The seed phrase is ${words}.`)).toBe('The seed phrase is [secret].')
})

it.each([
  'The mnemonic is short',
  'AUTH REQUIRED by the server',
  'PASS src/login2.test.ts',
  'a.ts:1234:5:error:message here',
  '12:34:56:78:9a:bc',
  'ssh-keygen -t ed25519 -f key',
  'net user bob /add',
  'echo done | grep su1',
  'useradd -m bob',
  '$1$2 and $2y$',
  'kind: Secret of a good team',
  'The API key is missing',
  'API key: required',
  'password policy: strict',
  'Password: enter it here',
  'unrar x archive.rar',
  'SecretKeyProvider: Provider',
])('leaves ordinary text as it is: %s', (text) => {
  expect(redactAll(text)).toBe(text)
})
