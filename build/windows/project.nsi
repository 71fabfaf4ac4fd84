; The Windows installer: for the person who runs it, without administrator rights. Build both programs into build\bin first:
;   GOOS=windows CGO_ENABLED=0 go build -tags desktop,production -ldflags "-s -w -H windowsgui" -o build/bin/jackfield-desktop.exe .
;   GOOS=windows CGO_ENABLED=0 go build -ldflags "-s -w" -o build/bin/jackfield.exe ./cmd/jackfield
;   makensis build/windows/project.nsi
Unicode true
!define NAME "Jackfield"
!define VERSION "0.1.0"
!define ID "app.jackfield.Jackfield"
!define PROGRAM "jackfield-desktop.exe"
!define LINKS "Software\Classes\jackfield"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${ID}"

Name "${NAME}"
OutFile "..\bin\jackfield-${VERSION}-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
RequestExecutionLevel user
ManifestDPIAware true
SetCompressor /SOLID lzma
ShowInstDetails nevershow
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "FileDescription" "${NAME} setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT License"

!include "MUI2.nsh"
!define MUI_ICON "..\icons\jackfield.ico"
!define MUI_UNICON "..\icons\jackfield.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"
!insertmacro MUI_PAGE_LICENSE "..\..\LICENSE"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  File "..\bin\${PROGRAM}"
  File "..\bin\jackfield.exe"
  File "..\icons\jackfield.ico"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${PROGRAM}" "" "$INSTDIR\jackfield.ico"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ; The path may hold blanks: a command in the registry has to be quoted, or another program of a shorter name would run.
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\jackfield.ico"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ; jackfield: links. The program and the link are quoted, each as one argument: neither may become two.
  WriteRegStr HKCU "${LINKS}" "" "URL:Jackfield"
  WriteRegStr HKCU "${LINKS}" "URL Protocol" ""
  WriteRegStr HKCU "${LINKS}\DefaultIcon" "" "$INSTDIR\jackfield.ico"
  WriteRegStr HKCU "${LINKS}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
SectionEnd

; The person's servers and history in %LOCALAPPDATA%\Jackfield stay.
Section "Uninstall"
  Delete "$INSTDIR\${PROGRAM}"
  Delete "$INSTDIR\jackfield.exe"
  Delete "$INSTDIR\jackfield.ico"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  ; The links go only if they are still ours.
  ReadRegStr $0 HKCU "${LINKS}\shell\open\command" ""
  StrCmp $0 '"$INSTDIR\${PROGRAM}" "%1"' 0 +2
  DeleteRegKey HKCU "${LINKS}"
SectionEnd
