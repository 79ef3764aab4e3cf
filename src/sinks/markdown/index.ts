export type { MarkdownOptions, Redact } from './options.ts'
export { redactEmails, redactHomePaths } from './redaction/people.ts'
export { redactAll, redactKeys } from './redaction/redactions.ts'
export { toMarkdown } from './to-markdown.ts'
