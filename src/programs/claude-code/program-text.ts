// The words of Claude Code in messages that it writes in the place of the person.

export const INTERRUPTION_TEXT: RegExp = /^\[Request interrupted by user[^\]]*\]$/

/** The words before the summary of a compacted conversation. */
export const SUMMARY_TEXT: RegExp = /^This session is being continued from a previous conversation/

export const COMMAND_TEXT: RegExp = /^<(?:command|local-command|bash)-[a-z]+>/
