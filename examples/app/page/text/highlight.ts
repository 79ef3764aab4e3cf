import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { isTooDeep } from './tree-depth.ts'

type Lowlight = ReturnType<typeof createLowlight>
type Root = ReturnType<Lowlight['highlight']>

/** Grammars of another version than the engine fail in it, so package.json has one version for both. */
const lowlight: Lowlight = createLowlight({
  ...{ bash, css, diff, go, java, javascript, json },
  ...{ python, rust, sql, typescript, xml, yaml },
})
lowlight.registerAlias({ bash: ['shell', 'console'] })

/** The names of the languages. Each also has other names. */
export const languages: readonly string[] = lowlight.listLanguages()

/** Longer texts stay without colours, because the time for some grows with the square of their length. In UTF-16 units. */
const LONGEST = 20_000

/** A script or style that does not end has the rest of the text in it, and with it the next one. */
const MOST_EMBEDDED = 30

/** Returns the parts of the code as a tree of HTML; undefined for an unknown language, and for a code that the page cannot show in parts. */
export function highlight(text: string, language: string | undefined): Root | undefined {
  if (language === undefined || !lowlight.registered(language) || isCostly(text)) return undefined
  const tree = treeOf(text, language)
  return tree && !isTooDeep(tree) ? tree : undefined
}

function isCostly(text: string): boolean {
  return text.length > LONGEST || (text.match(/<(?:script|style)/gi)?.length ?? 0) > MOST_EMBEDDED
}

/** A grammar may fail on a text that it does not expect. */
function treeOf(text: string, language: string): Root | undefined {
  try {
    return lowlight.highlight(language, text)
  } catch {
    return undefined
  }
}

/** Returns the language of a file by the end of its path. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
}
