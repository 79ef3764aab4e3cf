/** The programs that an error about an unknown file names. */
export const KNOWN_PROGRAMS =
  'claude-code, opencode, kilo, codex, pi, oh-my-pi, openclaw, gemini, grok, copilot, acp, ag-ui'
