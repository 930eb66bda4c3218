; The installer for Windows, made by Inno Setup 6 of the bundle. build.py gives Version and Bundle:
;   iscc /DVersion=0.0 /DBundle=C:\...\dist\transformer-explorer setup.iss
; It installs for one person and asks for no rights. Nobody has run it yet.
#define Title "Transformer Explorer"

[Setup]
AppId=TransformerExplorer
AppName={#Title}
AppVersion={#Version}
AppPublisher=The authors of Transformer Explorer
DefaultDirName={autopf}\{#Title}
DefaultGroupName={#Title}
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
ChangesAssociations=yes
Compression=lzma2
DisableProgramGroupPage=yes
LicenseFile=..\..\LICENSE
OutputBaseFilename=transformer-explorer-{#Version}-windows
SetupIconFile=..\..\build\icons\explorer.ico
SolidCompression=yes
UninstallDisplayIcon={app}\explorer.exe
WizardStyle=modern

[Files]
Source: "{#Bundle}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\{#Title}"; Filename: "{app}\explorer.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\.explorer"; ValueType: string; ValueData: "TransformerExplorer.Document"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\TransformerExplorer.Document"; ValueType: string; ValueData: "{#Title} document"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\TransformerExplorer.Document\DefaultIcon"; ValueType: string; ValueData: "{app}\explorer.exe,0"
Root: HKA; Subkey: "Software\Classes\TransformerExplorer.Document\shell\open\command"; ValueType: string; ValueData: """{app}\explorer.exe"" ""%1"""
; Lessons in one file are a zip of an ending of our own.
Root: HKA; Subkey: "Software\Classes\.lessons"; ValueType: string; ValueData: "TransformerExplorer.Document"; Flags: uninsdeletevalue
; A lesson is a TOML file, and others may have zipped theirs: offered under "Open with", and left to what opens such files otherwise.
Root: HKA; Subkey: "Software\Classes\.toml\OpenWithProgids"; ValueType: string; ValueName: "TransformerExplorer.Document"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.zip\OpenWithProgids"; ValueType: string; ValueName: "TransformerExplorer.Document"; Flags: uninsdeletevalue

[Run]
Filename: "{app}\explorer.exe"; Description: "Start {#Title}"; Flags: nowait postinstall skipifsilent
