import { BREAK, GUTTER, QUOTE, SECRET } from './marks.ts'

/** A value of an option, with or without quotes. */
const VALUE = String.raw`(?:"[^"\n]{1,1000}"|'[^'\n]{1,1000}'|[^\s"'\x60\\|;<>$-][^\s"'\x60\\|;]{0,1000}|\\{1,15}["'][^"'\n]{1,1000})`

/** Other options and words before the option, on the same line. */
const MORE = String.raw`(?:[ \t](?:[^\r\n|;&]{0,200}?[ \t])??)`

/** Between two words of a command, or of a list of arguments in JSON. */
const NEXT = String.raw`(?:[ \t]{1,8}|=|(?:${QUOTE}),[ \t]{0,8}(?:${QUOTE})|(?:${QUOTE}),\s{0,40}(?:${QUOTE}))`

/** `--password x`, `--api-key=x`, `"--token", "x"`. */
const LONG_OPTION = new RegExp(
  String.raw`((?<![\w-])--?(?:[a-z]{1,16}-){0,4}(?:password|passwd|passphrase|pass|pwd|token|secret|(?:api` +
    '|access|auth|account|secret|encryption|private)-?key|storepass|keypass' +
    '|credentials?)(?:' +
    `${NEXT}))((?:${VALUE}))`,
  'g',
)

/** Programs whose short option is a password. The option and its value may be one word. */
const SHORT_OPTIONS: readonly (readonly [program: string, option: string])[] = [
  ['mysql(?:dump|admin|import|sh)?|mariadb(?:-dump|-admin)?', '-p'],
  ['sshpass', '-p[ \\t]{0,8}'],
  ['(?:docker|podman|nerdctl|buildah|helm registry|oras|skopeo|crane auth) login', '-p[ \\t=]{0,8}'],
  ['mongo(?:sh|dump|restore|export|import)?', '-p[ \\t]{0,8}'],
  ['redis-cli', '-a[ \\t]{1,8}'],
  ['ldap(?:search|modify|add|whoami|passwd)', '-w[ \\t]{0,8}'],
  ['sqlcmd|osql|bcp', '-P[ \\t]{0,8}'],
  ['az login', '-p[ \\t]{1,8}'],
  ['(?:un)?zip', '-P[ \\t]{0,8}'],
  ['7za? [axeu]', '-p'],
  ['smbclient|rpcclient', '-U[ \\t]{0,8}[^\\s%]{1,60}%'],
  ['(?:user|group)(?:add|mod)', '-p[ \\t]{1,8}'],
  ['openssl[ \\t]+(?:enc|aes\\S{1,20}|des\\S{0,20})', '-[kK][ \\t]{1,8}'],
  ['mosquitto_(?:pub|sub|rr)|ipmitool', '-P[ \\t]{1,8}'],
  ['psexec(?:\\.exe)?|ncftp(?:get|put|ls)?|evil-winrm|crackmapexec|netexec|nxc|rdesktop', '-p[ \\t]{1,8}'],
  ['(?:un)?rar', '-h?p'],
  ['security[ \\t]+(?:add|set)-(?:generic|internet)-password[^\\s]{0,9}', '-w[ \\t]{1,8}'],
  ['security[ \\t]+unlock-keychain', '-p[ \\t]{1,8}'],
  ['gh[ \\t]+secret[ \\t]+set', '(?:-b|--body)[ \\t=]{0,8}'],
  ['snmp-server', 'community[ \\t]{1,8}'],
  ['schtasks(?:\\.exe)?', '/rp[ \\t]{1,8}'],
  ['x?wl?freerdp|xfreerdp3?', '/p:'],
  ['pdftk', '(?:input|owner|user)_pw[ \\t]{1,8}'],
  ['nmcli', 'password[ \\t]{1,8}'],
  ['iw(?:config)?', 'key[ \\t]{1,8}'],
  ['lftp', '-u[ \\t]{0,8}[^\\s,]{1,100},'],
  ['sqlplus|rman|expdp|impdp|sqlldr', '(?<![\\w.:/-])[A-Za-z][\\w$#]{0,60}/'],
  ['ngrok(?:[ \\t]+config)?[ \\t]+(?:add-)?authtoken|bw[ \\t]+unlock', ''],
  [
    '(?:rabbitmqctl[ \\t]+(?:add_user|change_password)|wpa_passphrase|b2[ \\t]+authorize-account)',
    '\\S{1,100}[ \\t]{1,8}',
  ],
  ['net[ \\t]+user', '[^\\s/]\\S{0,100}[ \\t]{1,8}(?![/*])'],
  ['ssh-keygen', '-[NP][ \\t]{0,8}'],
  ['snmp(?:walk|get|getnext|set|bulkwalk|bulkget|table|trap|status|test)', '-[cAX][ \\t]{0,8}'],
  ['kubectl[ \\t]+create[ \\t]+secret', '--from-literal[ =][^\\s=]{1,100}='],
  ['htpasswd', '-[a-z]{0,4}b[a-z]{0,4}[ \\t]+\\S{1,200}[ \\t]+\\S{1,100}[ \\t]+'],
]

function shortOption([program, option]: (typeof SHORT_OPTIONS)[number]): string {
  return String.raw`(?:${program})\b${MORE}${option}`
}

const SHORT_OPTION = new RegExp(
  String.raw`(\b(?:${SHORT_OPTIONS.map(shortOption).join('|')}))(?!\[secret\])((?:${VALUE}))`,
  'g',
)

/** `curl -u user:password`, also of programs with the same option. */
const USER = new RegExp(
  String.raw`(\b(?:curl|wget|http|https|xh|lftp|curlie)\b${MORE}(?:-[a-zA-Z]{0,6}[ua][ \t]{0,8}` +
    String.raw`|--(?:proxy-)?user(?:${NEXT})|--auth(?:${NEXT}))(?:${QUOTE})?[^\s:"'\x60\\]{0,100}:)` +
    String.raw`([^\s"'\x60\\]{1,1000})`,
  'g',
)

/** The same in a list of arguments. */
const USER_ARGUMENT = new RegExp(
  String.raw`((?:${QUOTE})(?:-u|--user|--proxy-user)(?:${QUOTE}),\s{0,40}(?:${QUOTE})[^\s:"'\x60\\]{0,100}:)([^"'\x60\\\n]{1,1000})`,
  'g',
)

/** `.netrc`, on one line or several. */
const NETRC = /* @__PURE__ */ new RegExp(
  String.raw`(\b(?:machine[ \t]+\S{1,200}|login[ \t]+\S{1,200})(?:(?:\r?\n|\\n)?[ \t>|+\d:→-]{0,20}[ \t]` +
    String.raw`|(?:\r?\n|\\n)(?:[ \t\d>|+:→-]{0,20})?)(?:login[ \t]+\S{1,200}(?:[ \t]+|(?:\r?\n` +
    String.raw`|\\n)[ \t\d>|+:→-]{0,20}))?(?:account[ \t]+\S{1,200}[ \t]+)?(?:password` +
    String.raw`|passwd)[ \t]+)([^\s"'\\]{1,1000})`,
  'g',
)

/** Programs that read a secret from their input, and options that make them do it. */
const INPUT_READER = [
  String.raw`--password-stdin|--with-token|--passphrase-fd 0|sudo[ \t]{1,8}-S|\b(?:chpasswd|smbpasswd|passwd|kinit|cryptsetup|runas|su)\b`,
  String.raw`\b(?:wrangler|gh|fly(?:ctl)?)[ \t]{1,8}secrets?\b|\b(?:docker` +
    String.raw`|podman)[ \t]{1,8}secret[ \t]{1,8}create|\bvercel[ \t]{1,8}env[ \t]{1,8}add` +
    String.raw`|\bsecret-tool[ \t]{1,8}store|\bpass[ \t]{1,8}insert`,
].join('|')

/** `echo x | docker login --password-stdin`, `echo user:x | chpasswd`. */
const PIPED = new RegExp(
  String.raw`(\b(?:echo|printf)[ \t]{1,8}(?:-[neE]{1,3}[ \t]{1,8})?(?:'%s'[ \t]{1,8})?)((?:${VALUE}))` +
    String.raw`(?=[ \t]{0,8}\|[ \t]{0,8}[^\r\n|]{0,200}?(?:${INPUT_READER}))`,
  'g',
)

/** `chpasswd <<< user:x` */
const HERE_STRING = new RegExp(
  String.raw`((?:${INPUT_READER})[^\r\n|<]{0,100}<<<[ \t]{0,8})((?:${VALUE}))`,
  'g',
)

/** The lines of `chpasswd`, each with a user and a password. */
const USER_LINE = String.raw`${BREAK}${GUTTER}[\w.@-]{1,60}:`
const USER_LINES = new RegExp(
  String.raw`\b(?:chpasswd|newusers)\b[^\r\n\\]{0,100}(?:${USER_LINE}[^\s\\]{1,200}){1,500}`,
  'g',
)
const USER_LINE_VALUE = new RegExp(String.raw`(${USER_LINE})[^\s\\:]{1,200}`, 'g')

/** `AUTH x` and `AUTH user x` of Redis, `AUTH PLAIN x` of SMTP, and `LOGIN user x` of IMAP. */
const PROTOCOL = new RegExp(
  String.raw`(\b(?:AUTH[ \t]{1,4}(?:[\w.@+-]{1,60}[ \t]{1,4})?|LOGIN[ \t]{1,4}[\w.@+-]{1,60}[ \t]{1,4}))` +
    String.raw`((?=[^\s"'\x60\\]{0,200}(?:\d|[a-z][^\s"'\x60\\]{0,200}[A-Z]))` +
    String.raw`[^\s"'\x60\\()[\]{}<>|,;:.]{6}[^\s"'\x60\\()[\]{}<>|,;]*)`,
  'g',
)

/** `.pgpass`: the host, the port, the database, the user and the password. */
const PGPASS = new RegExp(
  String.raw`(?=:(?:\d{4,5}|\*):)(?<=(?<![\w/.-])(?=[\d.]{0,60}[A-Za-z*.])(?:[\w.-]{1,100}|\*))` +
    String.raw`(:(?:\d{4,5}|\*):(?:[\w.-]{1,60}|\*):(?:[\w.@-]{1,60}|\*):)` +
    String.raw`((?=[^\s"'\x60:]{0,200}(?:\d|[A-Z]))(?:[^\s"'\x60:\\]|\\[:\\]){6,200})(?=[\s"'\x60\\]|$)`,
  'g',
)

const OPENSSL = /(\bpass:)([^\s"'\\]{4,1000})/g
const SECURE_STRING =
  /(\bConvertTo-SecureString[ \t]{1,8}(?:-String[ \t]{1,8})?(?:\\{0,7}["'])?)([^"'\s\\$()-][^"'\r\n\\]{0,1000}?(?=["'\\]|[ \t]|$))/gi
const NET_USER = /(\bnet[ \t]+use[ \t][^\r\n]{0,100}?\/user:\S{1,100}[ \t]+)(\S{1,200})/gi

const RULES: readonly RegExp[] = [
  // A command may have two passwords.
  ...[SHORT_OPTION, SHORT_OPTION],
  ...[USER, USER_ARGUMENT, NETRC, PIPED, HERE_STRING, PROTOCOL, PGPASS, OPENSSL, SECURE_STRING, NET_USER],
]

/** Replaces passwords in commands: options such as `--password`, `curl -u`, `mysql -p`, and the lines of `.netrc` and `.pgpass`. */
export function redactCommands(text: string): string {
  const hidden = text.replace(LONG_OPTION, (found, option: string, value: string) =>
    isPlaceholder(value) ? found : option + SECRET,
  )
  return RULES.reduce(
    (rest, rule) =>
      rest.replace(rule, (found, before: string, value: string) =>
        isPlaceholder(value) ? found : before + SECRET,
      ),
    hidden.replace(USER_LINES, (lines) => lines.replace(USER_LINE_VALUE, `$1${SECRET}`)),
  )
}

/** A variable, or what is hidden already. */
function isPlaceholder(value: string): boolean {
  return /^["']?(?:\$|<|\{|\[key\]|\[secret\])/.test(value)
}
