import { redactCommands } from './commands.ts'
import { redactHeaders, redactPairs } from './pairs.ts'
import { redactAddresses, redactEmails, redactHomePaths } from './people.ts'
import { redactPlaces } from './places.ts'
import { redactKeyObjects, redactPrivateKeys } from './private-keys.ts'
import { redactHashes, redactTokens } from './tokens.ts'
import { redactLists, redactSentences } from './words.ts'

/**
 * Replaces keys and passwords by `[key]` and `[secret]`:
 * - keys that begin with a mark of their provider: of models, code hosts, registries, clouds, chats, shops and
 *   tools
 * - JSON Web Tokens, and private keys: PEM, also if a part is missing, PuTTY and JSON Web Keys
 * - hashes of passwords, and the values of Kubernetes secrets
 * - the values of `Authorization`, of `Bearer` and `Basic`, and cookies
 * - passwords, keys and signatures in addresses, and the paths of webhooks
 * - the values of pairs such as `password=`, `"token":`, and of a `name` and a `value`
 * - passwords in commands: `--token x`, `curl -u`, `mysql -p`, and the lines of `.netrc` and `.pgpass`
 *
 * It knows these common forms and no other: a secret of another form stays.
 */
export function redactKeys(text: string): string {
  return redactTextKeys(redactLists(text, redactTextKeys))
}

const RULES: readonly ((text: string) => string)[] = [
  redactPrivateKeys,
  redactKeyObjects,
  redactHashes,
  redactTokens,
  redactHeaders,
  redactAddresses,
  redactPairs,
  redactCommands,
  redactPlaces,
  redactSentences,
]

function redactTextKeys(text: string): string {
  return RULES.reduce((rest, rule) => rule(rest), text)
}

/**
 * Applies `redactKeys`, `redactEmails` and `redactHomePaths`. They find common formats and no more: read the result
 * before you share it. Compose it with your own rules: `(text) => redactAll(text).replaceAll('Acme', '[customer]')`.
 */
export function redactAll(text: string): string {
  return redactHomePaths(redactEmails(redactKeys(text)))
}
