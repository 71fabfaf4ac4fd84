import { useLayoutEffect } from "react";
import { useAppState } from "../state";

/** Puts the person's choice on the root element; "system" leaves it to the media query of the tokens. */
export function useTheme(): void {
  const { theme, density } = useAppState((state) => state.settings);
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === "light" || theme === "dark") dataset.theme = theme;
    else delete dataset.theme;
    if (density === "comfortable") dataset.density = density;
    else delete dataset.density;
  }, [theme, density]);
}
