import { expect, it } from 'vitest'
import { redactAll } from '../../src/redaction/redactions.ts'

const S = 'hunter2Secret9'

// Each of these stood whole on a page with `--redact`.
it.each([
  `<server><password>${S}</password></server>`,
  `ENV DB_PASSWORD ${S}`,
  `set -x API_TOKEN ${S}`,
  `setenv API_TOKEN ${S}`,
  `setx API_TOKEN "${S}"`,
  `CREATE USER a IDENTIFIED BY '${S}'`,
  `ALTER ROLE a WITH PASSWORD '${S}'`,
  `requirepass ${S}`,
  `define('DB_PASSWORD', '${S}');`,
  `localStorage.setItem("token", "${S}")`,
  `setenv("API_TOKEN", "${S}", 1)`,
  `aws configure set aws_secret_access_key ${S}`,
  `npm config set //registry.example/:_authToken ${S}`,
  `psk="${S}"`,
  `password: |\n  ${S}`,
  `https%3A%2F%2Fx%3Faccess_token%3D${S}%26a`,
  `<meta name="csrf-token" content="${S}">`,
  `| DB_PASSWORD | ${S} |`,
  `| password | \`${S}\` |`,
  `│ API_KEY │ ${S} │`,
  `DB_PASSWORD\t${S}`,
  `**Password:** \`${S}\``,
  `contraseña: ${S}`,
  `mot de passe : ${S}`,
])('hides a password by its place: %j', (text) => {
  expect(redactAll(text)).not.toContain(S)
  expect(redactAll(text)).toContain('[secret]')
})

it.each([
  '<password>string</password>',
  "t('password', 'Password')",
  "<Input type='password' label='Password'>",
  'PASSWORD is required',
  '| token | the token of the call |',
  '| API_KEY | required |',
  "get('token', 'default')",
  'ALTER TABLE a ADD COLUMN PASSWORD text',
  'git config set user.name joe',
  '**Token:** a unit of text',
  'f(token=**kwargs)',
  'GITHUB_TOKEN permissions',
])('leaves ordinary text as it is: %j', (text) => {
  expect(redactAll(text)).toBe(text)
})
