import { redactEmails } from './emails.ts'
import { redactHomePaths } from './home-paths.ts'
import { redactKeys } from './keys.ts'

/**
 * Applies `redactKeys`, `redactEmails` and `redactHomePaths`. They find common formats and no more: read the result before you share it.
 * Compose it with your own rules: `(text) => redactAll(text).replaceAll('Acme', '[customer]')`.
 */
export function redactAll(text: string): string {
  return redactHomePaths(redactEmails(redactKeys(text)))
}
