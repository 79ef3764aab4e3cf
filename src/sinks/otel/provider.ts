/** The providers of the semantic conventions, by the beginning of a model's name. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/(^|[/.])claude/, 'anthropic'],
  [/(^|\/)(gpt|chatgpt|codex|o\d)/, 'openai'],
  [/(^|\/)gemini/, 'gcp.gemini'],
  [/(^|\/)mistral/, 'mistral_ai'],
  [/(^|\/)deepseek/, 'deepseek'],
  [/(^|\/)grok/, 'x_ai'],
]

/** Returns the provider of a model, if its name shows that. */
export function providerOf(model: string | undefined): string | undefined {
  return PROVIDERS.find(([pattern]) => model !== undefined && pattern.test(model))?.[1]
}
