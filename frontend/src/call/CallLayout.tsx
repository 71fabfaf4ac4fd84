import type { ReactNode, Ref } from "react";

interface Props {
  title: string;
  /** What it is also called, beside its title. */
  name: string;
  description: string;
  badges?: ReactNode;
  controls: ReactNode;
  form: ReactNode;
  result: ReactNode;
  ref?: Ref<HTMLElement>;
}

/** Header over form and result, side by side where there is room, below each other where there is not. */
export function CallLayout({ title, name, description, badges, controls, form, result, ref }: Props) {
  return (
    <section className="call" aria-label={title} ref={ref}>
      <header className="call-head">
        <div className="grow">
          <div className="row call-title">
            <h2 className="clip" title={title}>
              {title}
            </h2>
            {name !== title && <span className="t3 clip selectable">{name}</span>}
            {badges}
          </div>
          {description && (
            <p className="t2 call-description selectable" title={description.length > 260 ? description : undefined}>
              {description}
            </p>
          )}
        </div>
        <div className="call-controls">{controls}</div>
      </header>
      <div className="call-form">{form}</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard. */}
      <div className="call-result" tabIndex={0}>
        {result}
      </div>
    </section>
  );
}
