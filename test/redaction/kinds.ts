/** A kind of secret: `make` gives a new one, and `write` the text that people and programs write it in. */
export interface Kind {
  readonly name: string
  readonly make: (random: Random) => string
  readonly write: (secret: string) => string
}

/** Returns that many characters of the alphabet. */
export type Random = (count: number, alphabet?: string) => string

const DIGITS = '0123456789'
const HEX = `${DIGITS}abcdef`
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ALL = LETTERS + LETTERS.toLowerCase() + DIGITS

/** Returns characters by a fixed rule, so that each run tries the same secrets. */
export function randomFrom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
  return (count, alphabet = ALL) =>
    Array.from({ length: count }, () => alphabet[Math.floor(next() * alphabet.length)]).join('')
}

const base64 = (text: string) => btoa(text)

/** Keys that begin with a mark: the mark, the number of characters after it, and their alphabet. */
const MARKED: readonly (readonly [name: string, mark: string, count: number, alphabet?: string])[] = [
  ['OpenAI', 'sk-proj-', 40],
  ['OpenAI of a service account', 'sk-svcacct-', 60],
  ['Anthropic', 'sk-ant-api03-', 80],
  ['OpenRouter', 'sk-or-v1-', 64, HEX],
  ['xAI', 'xai-', 80],
  ['Groq', 'gsk_', 52],
  ['Hugging Face', 'hf_', 34],
  ['Perplexity', 'pplx-', 48],
  ['Replicate', 'r8_', 37],
  ['NVIDIA', 'nvapi-', 64],
  ['LangSmith', 'lsv2_pt_', 42],
  ['Tavily', 'tvly-', 32],
  ['Cerebras', 'csk-', 48],
  ['GitHub', 'ghp_', 36],
  ['GitHub of an app', 'ghs_', 36],
  ['GitHub, fine grained', 'github_pat_', 82],
  ['GitLab', 'glpat-', 20],
  ['GitLab of a runner', 'glrt-', 20],
  ['npm', 'npm_', 36],
  ['PyPI', 'pypi-AgEIcHlwaS5vcmc', 70],
  ['RubyGems', 'rubygems_', 48, HEX],
  ['Docker Hub', 'dckr_pat_', 27],
  ['Atlassian', 'ATATT3x', 180],
  ['AWS', 'AKIA', 16, `${LETTERS}234567`],
  ['AWS of a session', 'ASIA', 16, `${LETTERS}234567`],
  ['Google', 'AIza', 35],
  ['Google OAuth', 'ya29.', 60],
  ['Google OAuth client', 'GOCSPX-', 28],
  ['Alibaba', 'LTAI', 20],
  ['DigitalOcean', 'dop_v1_', 64, HEX],
  ['Databricks', 'dapi', 32, HEX],
  ['Supabase', 'sbp_', 40, HEX],
  ['PlanetScale', 'pscale_tkn_', 43],
  ['Vault', 'hvs.', 90],
  ['Doppler', 'dp.pt.', 43],
  ['Pulumi', 'pul-', 40, HEX],
  ['Tailscale', 'tskey-auth-', 30],
  ['Netlify', 'nfp_', 40],
  ['Buildkite', 'bkua_', 40, HEX],
  ['Slack', 'xoxb-', 40],
  ['Slack of an app', 'xapp-1-', 40],
  ['Stripe', 'sk_live_', 24],
  ['Stripe, restricted', 'rk_live_', 24],
  ['Svix webhook', 'whsec_', 32],
  ['Square', 'sq0csp-', 43],
  ['Square, older', 'sq0atp-', 22],
  ['Square of an account', 'EAAA', 60],
  ['Resend', 're_AbCdEf12_', 24],
  ['Fireworks', 'fw_', 24],
  ['Fly', 'fm2_', 60],
  ['Fly, older', 'fo1_', 43],
  ['Shopify', 'shpat_', 32, HEX],
  ['Linear', 'lin_api_', 40],
  ['Notion', 'ntn_', 46],
  ['Figma', 'figd_', 40],
  ['Grafana', 'glsa_', 41],
  ['New Relic', 'NRAK-', 27, LETTERS + DIGITS],
  ['Sentry', 'sntrys_', 60],
  ['age', 'AGE-SECRET-KEY-1', 58, `${LETTERS}${DIGITS}`],
  ['Sourcegraph', 'sgp_', 40, HEX],
  ['Contentful', 'CFPAT-', 43],
  ['Dynatrace', 'dt0c01.', 89, `${LETTERS}234567`],
  ['Docker Swarm', 'SWMTKN-1-', 50, HEX],
  ['Razorpay', 'rzp_live_', 24],
  ['Artifactory reference', 'cmVmdGtu', 56],
  ['Google of AI Studio', 'AQ.Ab8', 48],
  ['Twitch', 'oauth:', 30, `abcdefghij${DIGITS}`],
  ['extended key of a wallet', 'xprv9s21ZrQH143K', 95, LETTERS.replace(/[IO]/g, '')],
]

const pem = (lines: readonly string[], { hasStart = true, hasEnd = true } = {}) =>
  [
    ...(hasStart ? ['-----BEGIN RSA PRIVATE KEY-----'] : []),
    ...lines,
    ...(hasEnd ? ['-----END RSA PRIVATE KEY-----'] : []),
  ].join('\n')
const LINE = 'Qk5vdEFLZXlOb3RBS2V5Tm90QUtleU5vdEFLZXlOb3RBS2V5Tm90QUtleU5vdEFL'

/** The number of characters of a secret without a mark, its alphabet, and the text around it. */
const WRITTEN: readonly (readonly [
  name: string,
  count: number,
  write: (secret: string) => string,
  alphabet?: string,
])[] = [
  ['SendGrid', 43, (s) => `SG.${s.slice(0, 22)}.${s}`],
  ['JSON Web Token', 43, (s) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${s}`],
  ['Telegram bot', 33, (s) => `123456789:AA${s}`],
  ['Telegram address', 33, (s) => `https://api.telegram.org/bot123456789:AA${s}/getMe`],
  ['Discord bot', 38, (s) => `MTAxMjM0NTY3ODkwMTIzNDU2.GabcdE.${s}`],
  ['Discord webhook', 68, (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`],
  ['Slack webhook', 24, (s) => `https://hooks.slack.com/services/T00000000/B00000000/${s}`],
  ['private key', 64, (s) => pem([LINE, s, LINE])],
  ['private key without its end', 64, (s) => pem([LINE, s, LINE], { hasEnd: false })],
  ['private key without its beginning', 64, (s) => pem([LINE, s, LINE], { hasStart: false })],
  [
    'encrypted private key, cut',
    64,
    (s) => pem(['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123', '', s, LINE], { hasEnd: false }),
  ],
  [
    'private key in JSON',
    64,
    (s) => JSON.stringify({ private_key: `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n` }),
  ],
  ['private key id', 40, (s) => JSON.stringify({ private_key_id: s }), HEX],
  ['kubeconfig', 80, (s) => `client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ${s}`],
  ['AWS secret', 40, (s) => `AWS_SECRET_ACCESS_KEY=${s}`],
  ['AWS credentials file', 40, (s) => `[default]\naws_secret_access_key = ${s}`],
  ['Bearer', 32, (s) => `Authorization: Bearer ${s}`],
  ['Bearer without the header', 32, (s) => `Bearer ${s}`],
  ['Basic', 12, (s) => `Authorization: Basic ${base64(`u:${s}`)}`],
  ['Authorization: Token', 20, (s) => `Authorization: Token ${s}`],
  ['cookies', 32, (s) => `Cookie: sessionid=${s}; csrftoken=x`],
  ['second cookie', 32, (s) => `Cookie: theme=dark; sid=${s}`],
  ['Set-Cookie', 32, (s) => `Set-Cookie: connect.sid=${s}; HttpOnly`],
  ['curl --cookie', 32, (s) => `curl -b "sid=${s}" https://x.example`],
  ['X-API-Key', 32, (s) => `x-api-key: ${s}`],
  ['X-Auth-Token', 32, (s) => `X-Auth-Token: ${s}`],
  ['GitLab header', 20, (s) => `PRIVATE-TOKEN: ${s}`],
  ['address of a database', 14, (s) => `postgres://app:${s}@db.internal:5432/x`],
  [
    'address of a database with @',
    12,
    (s) => `postgres://app:${s.slice(0, 6)}@${s.slice(6)}@db.internal:5432/x`,
  ],
  ['address without a user', 14, (s) => `redis://:${s}@cache:6379/0`],
  ['key as the user of an address', 40, (s) => `https://${s}@git.example/a/b.git`, HEX],
  ['Sentry DSN', 32, (s) => `https://${s}@o1.ingest.sentry.example/2`, HEX],
  ['access_token in an address', 32, (s) => `https://x.example/a?access_token=${s}&b=1`],
  ['key in an address', 32, (s) => `https://maps.x.example/api?key=${s}`],
  ['SAS signature', 43, (s) => `https://a.blob.core.example/c?sv=2022&sig=${s}%3D`],
  ['one-time password', 32, (s) => `otpauth://totp/x?secret=${s}&issuer=x`, `${LETTERS}234567`],
  ['Azure account key', 86, (s) => `AccountName=a;AccountKey=${s}==;`],
  ['PASSWORD=', 14, (s) => `DB_PASSWORD=${s}`],
  ['PGPASSWORD=', 14, (s) => `PGPASSWORD=${s} psql -h db`],
  ['PASS=', 14, (s) => `SMTP_PASS=${s}`],
  ['PASSWORD= with marks', 14, (s) => `DB_PASSWORD=a&b;${s}`],
  ['ENCRYPTION_KEY=', 44, (s) => `ENCRYPTION_KEY=${s}`],
  ['SECRET_KEY_BASE=', 64, (s) => `SECRET_KEY_BASE=${s}`, HEX],
  ['JWT_SIGNING_KEY=', 44, (s) => `JWT_SIGNING_KEY=${s}`],
  ['A_KEY=', 24, (s) => `A_KEY=${s}`],
  ['A_KEY in YAML', 24, (s) => `A_KEY: ${s}`],
  ['A_KEY in JSON', 24, (s) => `{"A_KEY": "${s}"}`],
  ['header of Fly', 60, (s) => `Authorization: FlyV1 fm2_${s},fm2_${LINE}`],
  ['PowerShell variable', 14, (s) => `$env:API_TOKEN = "${s}"`],
  ['YAML', 14, (s) => `password: ${s}`],
  ['YAML of several words', 8, (s) => `password: correct horse ${s}`],
  ['YAML below its name', 20, (s) => `api_key:\n  value: ${s}`],
  ['YAML name and value', 20, (s) => `- name: API_KEY\n  value: ${s}`],
  ['JSON', 14, (s) => `{"token": "${s}"}`],
  ['JSON name and value', 20, (s) => `{"name": "Authorization", "value": "Token ${s}"}`],
  ['Python', 14, (s) => `connect(user="a", password="${s}")`],
  ['Terraform', 14, (s) => `master_password      = "${s}"`],
  ['XML attribute', 14, (s) => `<add key="Password" value="${s}"/>`],
  ['password in a sentence', 14, (s) => `The password is 7${s}.`],
  ['Docker settings', 22, (s) => `{"auths":{"registry.example":{"auth":"${base64(s)}"}}}`],
  ['npm _auth', 22, (s) => `//registry.example/:_auth=${base64(s)}`],
  ['npm _authToken', 36, (s) => `//registry.example/:_authToken=${s}`],
  ['.netrc', 14, (s) => `machine api.example login bob password ${s}`],
  ['.netrc on several lines', 14, (s) => `machine api.example\n  login bob\n  password ${s}`],
  ['curl -u', 14, (s) => `curl -u admin:${s} https://x.example`],
  ['curl --user', 14, (s) => `curl -s --user 'admin:${s}' https://x.example`],
  ['mysql -p', 14, (s) => `mysql -uroot -p${s} db`],
  ['sshpass', 14, (s) => `sshpass -p ${s} ssh host`],
  ['docker login', 14, (s) => `docker login -u bob -p ${s}`],
  ['redis-cli', 14, (s) => `redis-cli -h cache -a ${s} ping`],
  ['--password x', 14, (s) => `tool --password ${s} --x`],
  ['--password=x', 14, (s) => `tool --password=${s}`],
  ['--api-key x', 14, (s) => `tool --api-key "${s}"`],
  ['--password-stdin', 14, (s) => `echo ${s} | docker login -u bob --password-stdin`],
  ['ConvertTo-SecureString', 14, (s) => `ConvertTo-SecureString "${s}" -AsPlainText -Force`],
  ['AUTH of Redis', 14, (s) => `AUTH 7a${s}`],
  ['AUTH of Redis with a user', 14, (s) => `AUTH default 7a${s}`],
  ['AUTH PLAIN of SMTP', 14, (s) => `AUTH PLAIN ${base64(`\0bob\0${s}`)}`],
  ['LOGIN of IMAP', 14, (s) => `a1 LOGIN bob 7a${s}`],
  ['ssh-keygen -N', 14, (s) => `ssh-keygen -t ed25519 -f k -N ${s}`],
  ['ssh-keygen -P', 14, (s) => `ssh-keygen -p -f k -P old -N '${s}'`],
  ['echo to chpasswd', 14, (s) => `echo 'bob:${s}' | sudo chpasswd`],
  ['chpasswd and a here string', 14, (s) => `chpasswd <<< 'bob:${s}'`],
  ['lines of chpasswd', 14, (s) => `chpasswd <<EOF\nann:x\nbob:${s}\nEOF`],
  ['useradd -p', 14, (s) => `useradd -p ${s} bob`],
  ['.pgpass', 14, (s) => `db.internal:5432:app:bob:7${s}`],
  ['.pgpass for every host', 14, (s) => `*:*:*:bob:7${s}`],
  ['echo to a store of secrets', 14, (s) => `echo ${s} | wrangler secret put NAME`],
  ['gh secret set', 14, (s) => `gh secret set NAME --body ${s}`],
  ['security of macOS', 14, (s) => `security add-generic-password -a a -s s -w ${s}`],
  ['snmpwalk -c', 14, (s) => `snmpwalk -v2c -c ${s} host`],
  ['mosquitto_pub -P', 14, (s) => `mosquitto_pub -u bob -P ${s} -t x`],
  ['sqlplus', 14, (s) => `sqlplus scott/${s}@db`],
  ['address of Oracle', 14, (s) => `jdbc:oracle:thin:scott/${s}@//db:1521/x`],
  ['net user', 14, (s) => `net user bob ${s} /add`],
  [
    'kubectl --from-literal',
    14,
    (s) => `kubectl create secret generic x --from-literal=a=b --from-literal=c=${s}`,
  ],
  ['Kubernetes secret', 20, (s) => `kind: Secret\nstringData:\n  first: a\n  second: ${s}`],
  ['Kubernetes secret with its kind last', 20, (s) => `apiVersion: v1\ndata:\n  a: ${s}\nkind: Secret`],
  ['Kubernetes secret in JSON', 20, (s) => JSON.stringify({ kind: 'Secret', data: { a: s } })],
  ['JSON Web Key', 43, (s) => JSON.stringify({ kty: 'EC', crv: 'P-256', x: 'a', y: 'b', d: s })],
  ['JSON Web Key with its type last', 43, (s) => JSON.stringify({ d: s, kty: 'OKP' }, null, 2)],
  ['symmetric JSON Web Key', 43, (s) => JSON.stringify({ kty: 'oct', k: s })],
  [
    'key of PuTTY',
    64,
    (s) =>
      `PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n${LINE}\nPrivate-Lines: 2\n${s}\n${LINE}\nPrivate-MAC: 0a`,
  ],
  [
    'private key of RFC 4716',
    64,
    (s) =>
      `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${s}\n${LINE}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
  ],
  ['shadow', 86, (s) => `bob:$6$saltsalt$${s}:19000:0:99999:7:::`],
  ['bcrypt', 53, (s) => `bob:$2y$10$${s}`],
  ['Argon2', 43, (s) => `$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$${s}`],
  ['PBKDF2 of Django', 43, (s) => `pbkdf2_sha256$260000$saltsalt$${s}=`],
  ['SCRAM of Postgres', 43, (s) => `SCRAM-SHA-256$4096:c2FsdHNhbHQ=$${s}=:${s}=`],
  ['hashes of Windows', 32, (s) => `bob:1001:aad3b435b51404eeaad3b435b51404ee:${s}:::`, HEX],
  ['secret beside the key id of AWS', 40, (s) => `AKIAIOSFODNN7EXAMPLE,${s}`],
  ['client secret of Azure', 31, (s) => `abc8Q~${s}`],
  [
    'signature of a request to AWS',
    64,
    (s) => `Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=${s}`,
    HEX,
  ],
  ['API key:', 20, (s) => `API key: 7${s}`],
  ['Secret Access Key:', 40, (s) => `Secret Access Key: ${s}`],
  ['pw =', 14, (s) => `my $pw = '7${s}';`],
  ['password for somebody', 14, (s) => `Generated password for bob: 7a${s}`],
  ['password of a German', 14, (s) => `Das Passwort lautet 7a${s}`],
  ['password 7 of a router', 14, (s) => `username bob password 7 0a${s}`],
  ['setPassword', 14, (s) => `config.setPassword("7a${s}")`],
  ['login of a library', 14, (s) => `python3 -c "smtp.login('bob', '7a${s}')"`],
  ['IDENTIFIED WITH', 14, (s) => `mysql -e "ALTER USER bob IDENTIFIED WITH sha256_password BY '${s}'"`],
  ['ACL SETUSER', 14, (s) => `ACL SETUSER bob on >${s} +@all`],
  ['masterauth', 14, (s) => `masterauth ${s}`],
  ['openssl', 14, (s) => `openssl rsa -in k.pem -passin pass:${s}`],
  ['home of Linux', 10, (s) => `/home/${s}/x`],
  ['home of macOS', 10, (s) => `/Users/${s}/x`],
  ['home of Windows', 10, (s) => `C:\\Users\\${s}\\x`],
  ['home in Git Bash', 10, (s) => `/c/Users/${s}/x`],
  ['home in WSL', 10, (s) => `/mnt/c/Users/${s}/x`],
  ['home in Cygwin', 10, (s) => `/cygdrive/c/Users/${s}/x`],
  ['home of Fedora', 10, (s) => `/var/home/${s}/x`],
  ['home of WSL in Windows', 10, (s) => `\\\\wsl$\\Ubuntu\\home\\${s}\\x`],
  ['home in an address', 10, (s) => `file:///home/${s}/x`],
  ['home of Windows in an address', 10, (s) => `file:///C:/Users/${s}/x`],
  ['home in percent codes', 10, (s) => `vscode://file%2Fhome%2F${s}%2Fx`],
  ['folder of Claude Code', 10, (s) => `~/.claude/projects/-Users-${s}-code-app/x.jsonl`],
  ['folder of Claude Code on Windows', 10, (s) => `~/.claude/projects/C--Users-${s}-code-app/x.jsonl`],
  ['ls -l', 10, (s) => `-rw-r--r-- 1 u${s} staff 5 Jan 1 a`],
  ['USER=', 10, (s) => `USER=${s}\nLOGNAME=${s}`],
  ['LOGNAME=', 10, (s) => `LOGNAME=${s}`],
  ['e-mail', 10, (s) => `${s}.x@acme.example`],
  ['e-mail with other letters', 10, (s) => `jösé.${s}@acme.example`],
  ['e-mail in percent codes', 10, (s) => `mailto:${s}%40acme.example`],
]

/** The text of a Basic header and of registries holds the secret in base64. */
const ENCODED: ReadonlySet<string> = new Set(['Basic', 'Docker settings', 'npm _auth', 'AUTH PLAIN of SMTP'])

export const KINDS: readonly Kind[] = [
  ...MARKED.map(
    ([name, mark, count, alphabet]): Kind => ({
      name,
      make: (random) => mark + random(count, alphabet),
      write: (secret) => secret,
    }),
  ),
  ...WRITTEN.map(
    ([name, count, write, alphabet]): Kind => ({
      name,
      make: (random) => random(count, alphabet),
      write,
    }),
  ),
]

/** Returns what of a secret may not be in a redacted text. */
export function visiblePart({ name, write }: Kind, secret: string): string {
  if (!ENCODED.has(name)) return secret
  const [, found = secret] = /([A-Za-z0-9+/]{12,}={0,2})"?\}*$/.exec(write(secret)) ?? []
  return found
}

/** The shortest part of a secret that counts as visible, in characters. */
const PART = 6

/** Whether a text shows a part of a secret. */
export function showsPart(text: string, secret: string): boolean {
  return partsOf(secret).some((part) => text.includes(part))
}

/** Returns each part of a secret that no text may show. A shorter one is whole. */
export function partsOf(secret: string): readonly string[] {
  if (secret.length <= PART) return [secret]
  return Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART))
}
