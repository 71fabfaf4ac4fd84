import type { ReactNode, Ref } from "react";
import {
  Button as AriaButton,
  type ButtonProps as AriaButtonProps,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";

export type Tone = "plain" | "primary" | "quiet" | "danger";

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "style"> {
  tone?: Tone;
  size?: "normal" | "small";
  className?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ tone = "plain", size = "normal", className = "", ...rest }: ButtonProps) {
  return <AriaButton {...rest} className={`btn ${className}`} data-tone={tone} data-size={size} />;
}

export interface IconButtonProps extends Omit<ButtonProps, "children" | "aria-label"> {
  /** The accessible name, also shown as tooltip. */
  label: string;
  /** Of the tooltip, when it says more than the name. */
  tip?: string;
  children: ReactNode;
}

export function IconButton({ label, tip, tone = "quiet", children, ...rest }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <Button {...rest} tone={tone} aria-label={label} data-icon="">
        {children}
      </Button>
      <Tooltip className="tooltip" offset={6}>
        {tip ?? label}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** A word in a sentence that does something here; not a link to elsewhere. */
export function LinkButton({ className = "", ...rest }: Omit<ButtonProps, "tone" | "size">) {
  return <AriaButton {...rest} className={`link ${className}`} />;
}
