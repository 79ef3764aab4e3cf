import { expect, it } from 'vitest'
import { redactAll } from '../../src/redaction/redactions.ts'
import { depth } from '../depth.ts'

it.each([
  'token = getToken()',
  'const token = useToken(x)',
  'const password = form.password',
  'const listToken = body;',
  'const getToken = parameter => {',
  'if (token === null) x',
  'password = await prompt("x")',
  'password: z.string().min(8)',
  'password: string;',
  'private readonly token: Token,',
  'secret: string | Uint8Array',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of a workflow
  'secret: ${{ secrets.TOKEN }}',
  'csrf_token={{ csrf }}',
  'api_key=os.environ["X"]',
  'apiKey: process.env.API_KEY',
  'password: bool = False,',
  'private_key: ed25519.Ed25519PrivateKey, x',
  'password = ":****"',
  "Token: '#dddddd'",
  '`authorization`, `access-control-allow-credentials`',
  'pin the runner to windows-2019',
  '.. _`RFC#Authorization`: https://rfc.example/rfc6749',
  '.. _`Bearer Token`: https://rfc.example/rfc6750',
  '[api-token]: #token',
  '[set up the credentials]: https://docs.example/setting-up',
  'def build(self, password: bytes) -> KeySerializationEncryption:',
  "super().__init__(default_token='Bearer', x)",
  'npm_config_user_agent_of_the_client_x=1',
  'max_token=4096',
  'SORT_KEY=created_at_2024',
  'CACHE_KEY = "user-profile-v2-settings"',
  'CACHE_KEY = "UserProfileSettings2"',
  'KEY_FILE_KEY=/etc/x/Server2a3b4c.pem',
  'sort_key=9fK2xQ7mB4vT1zR8nL5p',
  're_export_everything_from_module_and_more',
  'fw_version_of_the_second_device_1234567',
  `EAAA${'A'.repeat(80)}`,
  'input_token: 18688',
  'next_page_token: null',
  "auth: 'jwt'",
  'pass: 12',
  '"pass": "Le rôle ARIA est valide"',
  '"password": "The password is required"',
  'The token: a unit of text',
  'Basic authentication is used',
  'Bearer tokens are used',
  'Cookie: a small file',
  '--token <token>',
  'the date-token matches',
  'docker run -p 8080:80 x',
  'ssh -p 2222 host',
  'sk-1-loading-spinner-small-2x',
  'git@github.com:a/b.git',
  'react@18.2.0',
  'icon@2x.png',
  'GET /Users/123 HTTP/1.1',
  "router.get('/home/about')",
])('leaves ordinary code as it is: %s', (line) => {
  expect(redactAll(line)).toBe(line)
})

// An expression that keeps a place for each character overflowed the stack.
it.each([
  ['eyJ', 6],
  ['password="', 6],
  ['password=', 16],
] as const)('takes base64 of megabytes after %j', (beginning, megabytes) => {
  expect(() => redactAll(beginning + 'QUJD'.repeat(megabytes * 250_000))).not.toThrow()
})

// A harmless value of a megabyte was read again for each name in it, and a run of backslashes from each of its places.
it.each([
  ...[
    'auth=',
    'PASSWORD=<',
    'PASSWORD=${',
    'PASSWORD={{',
    'password: a1 b ',
    'password: a b\n',
    'name: password\n',
    'token",',
  ],
  ...[
    'mysql -',
    'curl -u a:',
    'machine a login b ',
    'echo a | ',
    '["a","',
    '["',
    'cookie: a=',
    '%2Fhome%2F',
    '-rw-r--r-- 1 ',
  ],
  ...[
    'chpasswd\na:b',
    'kind: Secret\ndata:\n  a: b',
    'kind: Secret "data":{"a":"',
    '"kty""d":"',
    'Private-Lines: 1\n',
    'ssh-keygen -N ',
    'AUTH a ',
    'a:1234:b:c:',
    'password a: ',
  ],
])('takes a long run of %j in linear time', (repeated) => {
  const text = repeated.repeat(depth({ few: 60_000, all: 400_000 }) / repeated.length)
  expect(redactAll(`${text}\n!`).endsWith('!')).toBe(true)
})

it('takes a megabyte of backslashes in a quoted value in linear time', () => {
  expect(redactAll(`password="${'\\'.repeat(1_000_000)}\n!`)).toBe('password="[secret]\n!')
})
