import { useEffect } from 'react'

export type Option = { readonly value: string; readonly label: string }

type Props = {
  id: string
  label: string
  isOpen: boolean
  options: readonly Option[]
  optionsMax: number
  marked: number
  isLoading: boolean
  failure: string | null
  onChoose: (value: string) => void
}

/**
 * The list below a combobox. Pressing an option must not move the focus away from the input, or the list would close before the
 * click.
 */
export function OptionList({ id, label, isOpen, options, optionsMax, marked, isLoading, failure, onChoose }: Props) {
  // The effect has braces, so that it returns nothing: in newer browsers `scrollIntoView` returns a promise, which React must
  // not get as a clean-up function.
  useEffect(() => {
    document.getElementById(`${id}-${marked}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, marked])
  const hint = hintOf(options.length, optionsMax, isLoading, failure)
  return (
    <div className="options" hidden={!isOpen} onMouseDown={(event) => event.preventDefault()} role="presentation">
      <ul id={id} role="listbox" aria-label={label}>
        {options.map(({ value, label: text }, position) => (
          // The input has the focus and receives the keys. An option is only marked.
          <li
            key={value}
            id={`${id}-${position}`}
            role="option"
            aria-selected={position === marked}
            onClick={() => onChoose(value)}
          >
            {text}
          </li>
        ))}
      </ul>
      <p className="hint" role="status">
        {hint}
      </p>
    </div>
  )
}

function hintOf(count: number, optionsMax: number, isLoading: boolean, failure: string | null): string {
  if (failure !== null) return `${failure} Type one exactly and press Enter.`
  if (isLoading && count === 0) return 'Looking …'
  if (count === 0) return 'Nothing found. Enter takes what you typed.'
  return count >= optionsMax ? `The first ${optionsMax}; type more to find others.` : ''
}
