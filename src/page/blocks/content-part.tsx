import { type ReactNode, useMemo, useState } from 'react'
import type { FileSource, UserContentPart } from '../../core/state/content.ts'
import { safeAddress } from '../text/inline.tsx'
import { Markdown } from '../text/markdown.tsx'
import { imageSize } from './image-size.ts'

/** A part of a message: text, an image or a file. */
export function ContentPart({ part }: { readonly part: UserContentPart }): ReactNode {
  if (part.type === 'text')
    return (
      <div className="prompt">
        <Markdown text={part.text} field="content" />
      </div>
    )
  const { source } = part
  if (part.type === 'image' && source.type === 'base64') return <InlineImage {...source} />
  return <FileName name={part.type === 'file' && part.name ? part.name : part.type} source={source} />
}

/** A few kilobytes may be an image of gigabytes. A larger one, and one of unknown size, is shown when the reader asks for it. In pixels. */
const LARGEST = 2 ** 24

/** The height of an image that scrolls in a box of its own, in its widths. Such a picture of a whole page would fill several screens. */
const TALL = 1.5

/** Another type, such as SVG, may hold anything. */
const IMAGE = /^image\/(?:png|jpe?g|gif|webp|avif)$/

interface ImageProps {
  readonly mediaType: string
  readonly data: string
}

/** A small view of an image, which says that it is there. Of a large one and of another type there is none. */
export function Thumbnail({ mediaType, data }: ImageProps): ReactNode {
  const size = useMemo(() => imageSize(data), [data])
  if (!IMAGE.test(mediaType) || !size || size.width * size.height > LARGEST) return null
  return (
    <img
      className="thumbnail"
      src={`data:${mediaType};base64,${data}`}
      alt=""
      loading="lazy"
      decoding="async"
    />
  )
}

/** An image with its data. */
export function InlineImage({ mediaType, data }: ImageProps): ReactNode {
  const size = useMemo(() => imageSize(data), [data])
  const [isWanted, setIsWanted] = useState(false)
  if (!IMAGE.test(mediaType)) return <span className="file">{mediaType}</span>
  if (!isWanted && !(size && size.width * size.height <= LARGEST))
    return (
      <button type="button" className="more" onClick={() => setIsWanted(true)}>
        Show the image, {size ? `${size.width} × ${size.height} pixels` : 'of unknown size'}
      </button>
    )
  const image = (
    <img
      className="image"
      src={`data:${mediaType};base64,${data}`}
      alt={`Attached, ${mediaType}`}
      width={size?.width}
      height={size?.height}
      loading="lazy"
      decoding="async"
    />
  )
  if (!size || size.height < TALL * size.width) return image
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <div className="tall-image" role="group" aria-label="Image" tabIndex={0}>
      {image}
    </div>
  )
}

/** Shows a link to a remote file and does not load it: a request would reveal the reader to that server. */
function FileName({ name, source }: { readonly name: string; readonly source: FileSource }): ReactNode {
  if (source.type === 'url' && safeAddress(source.url))
    return (
      <a className="file" href={source.url} rel="noopener noreferrer" target="_blank">
        {name}
      </a>
    )
  return <span className="file">{name}</span>
}
