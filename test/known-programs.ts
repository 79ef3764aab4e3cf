/** The programs that an error about an unknown file names. */
export const KNOWN_PROGRAMS =
  'claude-code, opencode, kilo, codex, pi, oh-my-pi, openclaw, gemini, kimi, qwen, grok, copilot, cline, kiro, vibe, antigravity, hermes, aider, droid, continue, acp, ag-ui'

/** The names of formats, as an error about an option lists them. */
export const KNOWN_FORMATS =
  'claude-sdk or opencode or codex or pi or gemini or kimi or qwen or acp or ag-ui or copilot or cline or kiro or vibe or antigravity or hermes or aider or droid or continue'
