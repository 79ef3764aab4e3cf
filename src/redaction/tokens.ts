import { atLeast, KEY } from './marks.ts'

/** Not in the middle of a word, such as `task-`. An escaped line break, a percent code or the code of a colour may stand before a key. */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})`

const WORD = '[A-Za-z0-9]'
const URL_SAFE = '[A-Za-z0-9_-]'
const HEX = '[0-9a-f]'
const UUID = `${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`

/** Marks that no other word has. At least 30 letters and digits follow, so that a name such as `npm_config_cache` is no key. */
const WORD_MARKS = [
  'gh[pousr]_|npm_|rubygems_|nf[poc]_|bk(?:ua|ct)_|secret_|phx_|do[opr]_v1_|shp(?:at|ca|pa|ss|rt|tka)_',
  'sgp_(?:[0-9a-f]{16}_)?|pnu_|rnd_|jina_|e2b_|crsr_|hcaik_|rdme_|shippo_(?:live|test)_|cmVmdGtu|[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{60}',
  'gsk_|hf_|api_org_|csk-|pul-|ntn_|lin_(?:api|oauth|wh)_|sbp_(?:oauth_|v0_)?|pplx-|xai-|CCIPAT_[A-Za-z0-9]{10,40}_',
]

/** Marks that at least 20 characters of many kinds follow. */
const MIXED_MARKS = [
  // Code hosts, registries and models
  'github_pat_|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|oas)-|dckr_[po]at_|pypi-AgE|nvapi-|lsv2_(?:pt|sk)_|tvly-',
  // Clouds and hosts
  'ya29\\.|GOCSPX-|hv[sbr]\\.|sb_secret_|pscale_(?:tkn|pw|oauth)_|dp\\.(?:pt|st|ct|sa|scim' +
    '|audit)\\.|tskey-[a-z]{3,12}-|fm[12][a-z]?_|fo1_|HRKU-',
  // Payments and tools
  'whsec_|sq0(?:atp|csp|idp)-|fig[dou]r?_|sntry[su]_|glsa_|glc_eyJ|ops_eyJ|CFPAT-|FLWSECK(?:_TEST)?-|tfp_|GR1348941|dt0c01\\.|AQ\\.Ab8',
]

/** Keys whose marks are clear and whose lengths are their own. */
const MARKED = [
  `(?:${WORD_MARKS.join('|')})${atLeast(30, WORD)}`,
  `(?:${MIXED_MARKS.join('|')})${atLeast(20, '[A-Za-z0-9_.+/=-]')}`,
  `xox[a-z](?:\\.xox[a-z])?-${atLeast(10, '[A-Za-z0-9-]')}`,
  `xapp-${atLeast(10, '[A-Za-z0-9-]')}`,
  `[rs]k_(?:live|test|prod)_${atLeast(16, WORD)}`,
  `SG\\.${atLeast(16, URL_SAFE)}\\.${atLeast(16, URL_SAFE)}`,
  `xkeysib-${HEX}{64}-${atLeast(16, WORD)}`,
  `${HEX}{32}-us\\d{1,2}`,
  `PMAK-${HEX}{24}-${HEX}{34}`,
  'NRAK-[A-Z0-9]{27}',
  `AGE-SECRET-KEY-1${atLeast(50, '[A-Z0-9]')}`,
  `SWMTKN-1-${atLeast(40, '[a-z0-9-]')}`,
  `K10${HEX}{64}::[a-z-]{1,20}:${atLeast(16, WORD)}`,
  `(?:pat-(?:na|eu|ap)\\d|access-(?:production|development|sandbox))-${UUID}`,
  `pat\\.${URL_SAFE}{22}\\.${HEX}{24}\\.${WORD}{20}`,
  `rzp_(?:live|test)_${atLeast(14, WORD)}`,
]

/** Keys whose marks other words may end with, or the bytes of an image in base64. */
const AFTER_START = [
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
  'AIza[A-Za-z0-9_-]{35}',
  `LTAI${atLeast(16, WORD)}`,
  `AKCp[58]${atLeast(50, WORD)}`,
  'oy2[a-z0-9]{43}',
  `AT(?:ATT3x|CTT3x|BB|TA)${atLeast(20, '[A-Za-z0-9_=-]')}`,
  `dapi${HEX}{32}(?:-\\d)?`,
  `r8_${atLeast(30, WORD)}`,
  `(?:fc-|SK|key-|sk_|key_${HEX}{32})${HEX}{32}${HEX}*`,
  `(?:sess-|rt_|aio_)${WORD}{28}${WORD}*`,
  `pat${WORD}{14}\\.${HEX}{64}`,
  // Resend, Fireworks and Square. Their marks are short, so a key has capital letters or digits.
  `re_${WORD}{6,12}_${atLeast(20, WORD)}`,
  `fw_(?=[a-z]*[A-Z\\d])${atLeast(20, WORD)}`,
  `EAAA(?=[A-Za-z_-]*\\d)(?=[A-Z0-9_-]*[a-z])${atLeast(50, URL_SAFE)}`,
  `sl\\.${atLeast(120, URL_SAFE)}`,
  `oauth:[a-z0-9]{30}(?![A-Za-z0-9])`,
  // A key of Z.ai: an id and a secret.
  `${HEX}{32}\\.(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*\\d)${WORD}{16}(?![A-Za-z0-9.])`,
  // The token of a Telegram bot, also in an address.
  '(?:bot)?\\d{8,10}:AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])',
  // The token of a Discord bot: the id in base64, the time and a signature.
  `[MNO][A-Za-z0-9_-]{22,27}\\.[A-Za-z0-9_-]{6}\\.${atLeast(27, URL_SAFE)}`,
]

/** Keys with their mark in the middle, of HCP Terraform and of Azure. A search for one would begin at each letter. */
const MARKED_WITHIN: readonly (readonly [mark: string, key: RegExp])[] = [
  ['.atlasv1.', new RegExp(`[A-Za-z0-9]{14}\\.atlasv1\\.${atLeast(40, URL_SAFE)}`, 'g')],
  ['Q~', /[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}/g],
]

const TOKEN = new RegExp(`(?:${MARKED.join('|')})|${START}(?:${AFTER_START.join('|')})`, 'g')

/** The secret, and perhaps the token of a session, beside the id of a key of AWS: cells of a table have no names. */
const AWS_ROW = new RegExp(
  `${START}(?:AKIA|ASIA)[A-Z0-9]{16}([ \\t,;|"'│]{1,40})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])` +
    `(?:([ \\t,;|"'│]{1,40})${atLeast(100, '[A-Za-z0-9/+=]')})?`,
  'g',
)

/** `sk-` and `sk-ant-`, `sk-proj-` and so on. */
const SK = new RegExp(`${START}sk-${atLeast(16, URL_SAFE)}`, 'g')

/** A JSON Web Token. Its run of characters is searched once, because a match begins only where the run begins. */
const JWT = new RegExp(
  String.raw`(?<=^|[^A-Za-z0-9_-]|\\[nrt])eyJ${atLeast(6, URL_SAFE)}\.${atLeast(6, URL_SAFE)}(?:\.${URL_SAFE}*){0,3}`,
  'g',
)

/** PEM in base64, as in a kubeconfig: `-----BEGIN`. A certificate is public, and begins in the same way. */
const ENCODED_PEM = new RegExp(`LS0tLS1CRUdJTi${atLeast(16, '[A-Za-z0-9+/=]')}`, 'g')

/** `CERTIFICATE` and `PUBLIC KEY` after `-----BEGIN ` in base64. */
const PUBLIC_PEM = /^LS0tLS1CRUdJTiB(?:DRVJUSUZJQ0FUR|QVUJMSUMg)/

/** Replaces keys that their form alone shows. */
export function redactTokens(text: string): string {
  return MARKED_WITHIN.reduce(
    (rest, [mark, key]) => (rest.includes(mark) ? rest.replace(key, KEY) : rest),
    text,
  )
    .replace(AWS_ROW, (_, first: string, second?: string) =>
      [KEY, first, KEY, ...(second === undefined ? [] : [second, KEY])].join(''),
    )
    .replace(TOKEN, KEY)
    .replace(SK, (found) => (isName(found) ? found : KEY))
    .replace(JWT, KEY)
    .replace(ENCODED_PEM, (found) => (PUBLIC_PEM.test(found) ? found : KEY))
}

/**
 * Whether it is the name of a class, such as `sk-loading-spinner-small-2x`. A key has a part of letters and digits
 * that is no short word.
 */
function isName(found: string): boolean {
  return found.length < 64 && found.split(/[-_]/).every((part) => /^(?:[a-z]+|\d{0,2}[a-z]?)$/i.test(part))
}

const DOLLAR = String.raw`\\{0,7}\$`
const CRYPT = '[./A-Za-z0-9]'

/** The forms of stored passwords: of `crypt`, of frameworks, of databases and of Windows. Somebody can try passwords against them. */
const FORMS: readonly string[] = [
  // `/etc/shadow` and `htpasswd`: MD5, SHA, bcrypt and yescrypt
  `${DOLLAR}(?:1|apr1)${DOLLAR}${CRYPT}{1,8}${DOLLAR}${CRYPT}{22}`,
  `${DOLLAR}[56]${DOLLAR}(?:rounds=\\d{1,9}${DOLLAR})?${CRYPT}{1,16}${DOLLAR}${CRYPT}{43,86}`,
  `${DOLLAR}2[abxy]?${DOLLAR}\\d\\d${DOLLAR}${CRYPT}{53}`,
  `${DOLLAR}(?:7|g?y)${DOLLAR}${CRYPT}{1,20}${DOLLAR}${CRYPT}{1,86}${DOLLAR}${CRYPT}{43}`,
  // `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`
  `${DOLLAR}(?:argon2(?:id|i|d)|s?crypt|pbkdf2(?:-sha\\d{1,3})?)(?:${DOLLAR}[\\w=,]{1,40}){0,3}(?:${DOLLAR}[\\w./+=-]{8,200}){1,2}`,
  String.raw`\b(?:pbkdf2_sha\d{1,3}|pbkdf2:sha\d{1,3}:\d{1,9}|scrypt:\d{1,9}:\d{1,3}:\d{1,3})${DOLLAR}` +
    String.raw`(?:\d{1,9}${DOLLAR})?[\w./+=-]{4,100}${DOLLAR}[\w./+=-]{32,200}`,
  String.raw`\bSCRAM-SHA-(?:1|256|512)${DOLLAR}\d{1,9}:[\w+/=]{8,100}${DOLLAR}[\w+/=]{20,100}:[\w+/=]{20,100}`,
  String.raw`\{(?:S?SHA(?:256|384|512)?|S?MD5)\}[\w+/]{20,200}={0,2}`,
  // The hashes of a user of Windows: `aad3b435b51404eeaad3b435b51404ee:…:::`
  String.raw`\b[0-9a-fA-F]{32}:[0-9a-fA-F]{32}(?=:::)`,
]

const HASH = new RegExp(FORMS.join('|'), 'g')

/** Replaces hashes of passwords. */
export function redactHashes(text: string): string {
  return text.replace(HASH, KEY)
}
