import { QUOTE, SECRET } from './marks.ts'

/** A value of an option, with or without quotes. */
const VALUE = String.raw`(?:"[^"\n]{1,1000}"|'[^'\n]{1,1000}'|[^\s"'\x60\\|;<>$-][^\s"'\x60\\|;]{0,1000}|\\{1,15}["'][^"'\n]{1,1000})`

/** Other options and words before the option, on the same line. */
const MORE = String.raw`(?:[ \t](?:[^\r\n|;&]{0,200}?[ \t])??)`

/** Between two words of a command, or of a list of arguments in JSON. */
const NEXT = String.raw`(?:[ \t]{1,8}|=|(?:${QUOTE}),[ \t]{0,8}(?:${QUOTE})|(?:${QUOTE}),\s{0,40}(?:${QUOTE}))`

/** `--password x`, `--api-key=x`, `"--token", "x"`. */
const LONG_OPTION = new RegExp(
  String.raw`((?<![\w-])--?(?:[a-z]{1,16}-){0,4}(?:password|passwd|passphrase|pass|pwd|token|secret|(?:api|access|auth|account|secret|encryption|private)-?key|storepass|keypass|credentials?)(?:${NEXT}))((?:${VALUE}))`,
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
  ['htpasswd', '-[a-z]{0,4}b[a-z]{0,4}[ \\t]+\\S{1,200}[ \\t]+\\S{1,100}[ \\t]+'],
]

const SHORT_OPTION = SHORT_OPTIONS.map(
  ([program, option]) => new RegExp(String.raw`(\b(?:${program})\b${MORE}${option})((?:${VALUE}))`, 'g'),
)

/** `curl -u user:password`, also of programs with the same option. */
const USER = new RegExp(
  String.raw`(\b(?:curl|wget|http|https|xh|lftp|curlie)\b${MORE}(?:-[a-zA-Z]{0,6}[ua][ \t]{0,8}|--(?:proxy-)?user(?:${NEXT})|--auth(?:${NEXT}))(?:${QUOTE})?[^\s:"'\x60\\]{0,100}:)([^\s"'\x60\\]{1,1000})`,
  'g',
)

/** The same in a list of arguments. */
const USER_ARGUMENT = new RegExp(
  String.raw`((?:${QUOTE})(?:-u|--user|--proxy-user)(?:${QUOTE}),\s{0,40}(?:${QUOTE})[^\s:"'\x60\\]{0,100}:)([^"'\x60\\\n]{1,1000})`,
  'g',
)

/** `.netrc`, on one line or several. */
const NETRC =
  /(\b(?:machine[ \t]+\S{1,200}|login[ \t]+\S{1,200})(?:(?:\r?\n|\\n)?[ \t>|+\d:→-]{0,20}[ \t]|(?:\r?\n|\\n)(?:[ \t\d>|+:→-]{0,20})?)(?:login[ \t]+\S{1,200}(?:[ \t]+|(?:\r?\n|\\n)[ \t\d>|+:→-]{0,20}))?(?:account[ \t]+\S{1,200}[ \t]+)?(?:password|passwd)[ \t]+)([^\s"'\\]{1,1000})/g

/** `echo x | docker login --password-stdin`, `echo x | sudo -S`. */
const PIPED = new RegExp(
  String.raw`(\b(?:echo|printf)[ \t]{1,8}(?:-n[ \t]{1,8})?(?:'%s'[ \t]{1,8})?)((?:${VALUE}))(?=[ \t]{0,8}\|[ \t]{0,8}[^\r\n|]{0,200}(?:--password-stdin|sudo[ \t]{1,8}-S|--with-token|passwd --stdin|--passphrase-fd 0))`,
  'g',
)

const OPENSSL = /(\bpass:)([^\s"'\\]{4,1000})/g
const SECURE_STRING =
  /(\bConvertTo-SecureString[ \t]{1,8}(?:-String[ \t]{1,8})?(?:\\{0,7}["'])?)([^"'\s\\$()-][^"'\r\n\\]{0,1000}?(?=["'\\]|[ \t]|$))/gi
const NET_USER = /(\bnet[ \t]+use[ \t][^\r\n]{0,100}?\/user:\S{1,100}[ \t]+)(\S{1,200})/gi

/** Replaces passwords in commands: options such as `--password`, `curl -u`, `mysql -p`, and the lines of `.netrc`. */
export function redactCommands(text: string): string {
  const hidden = text.replace(LONG_OPTION, (found, option: string, value: string) =>
    isPlaceholder(value) ? found : option + SECRET,
  )
  return [...SHORT_OPTION, USER, USER_ARGUMENT, NETRC, PIPED, OPENSSL, SECURE_STRING, NET_USER].reduce(
    (rest, rule) =>
      rest.replace(rule, (found, before: string, value: string) =>
        isPlaceholder(value) ? found : before + SECRET,
      ),
    hidden,
  )
}

/** A variable, or what is hidden already. */
function isPlaceholder(value: string): boolean {
  return /^["']?(?:\$|<|\{|\[key\]|\[secret\])/.test(value)
}
