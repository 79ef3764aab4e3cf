export type { MarkdownOptions, Redact } from './options.ts'
export { redactAll, redactEmails, redactHomePaths, redactKeys } from './redactions.ts'
export { toMarkdown } from './to-markdown.ts'
